"""Further models for scripts/pairs, in which features meet that have no place on a line or a floor: nothing
is known of their motion by hand.

MODELS: name -> features, text of the model, and whether it is passive: no driver, no applied force.
"""
import os
from collections import namedtuple

PARTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "models", "parts")
Model = namedtuple("Model", "features text passive")
MODELS = {}


def add(name, features, text, passive=False):
    MODELS[name] = Model(features, text, passive)


add("beam_strikes", "beam, rigid contact", """
planar: true
gravity: 9.81
beams:
  arm: {type: general, end: [1, 0], elements: 2, order: 2, stiffness: [2e4, 1e4, 1e4, 20, 20, 20], mass: 1,
        inertia: 1e-3, damping: 2e-3}
bodies: {tip: {mass: 0.5, inertia: 0.01, position: [1, 0]}}
joints:
  wall: {type: fixed, a: ground, b: arm.start}
  weld: {type: fixed, a: arm.end, b: tip}
shapes:
  tip: {type: sphere, radius: 0.05}
  floor: {type: plane, at: ground.floor}
ground: {frames: {floor: [0, -0.12]}}
contacts: {hit: {a: tip, b: floor, law: rigid, restitution: 0.4}}
run: {end: 0.6, output_step: 0.01}
""", True)

add("beam_drawn", "beam, jump of a driver, friction with a static one", """
planar: true
beams:
  bar: {type: general, end: [0, 1], elements: 2, order: 2, stiffness: [2e4, 1e4, 1e4, 30, 30, 30], mass: 1,
        inertia: 1e-3, damping: 1e-3}
bodies:
  hand: {mass: 1, inertia: 1}
  block: {mass: 1.5, inertia: 0.1, position: [0, 1]}
joints:
  rail: {type: prismatic, a: ground, b: hand, axis: [1, 0]}
  pull: {type: driver, of: rail.distance, motion: "if(t < 0.1, 0, 0.4*(t - 0.1))"}
  root: {type: fixed, a: hand, b: bar.start, axis: [0, 1], point: [0, 0]}
  pin: {type: revolute, a: bar.end, b: block, point: [0, 1]}
  guide: {type: prismatic, a: ground, b: block, point: [0, 1], axis: [1, 0],
          friction: {coulomb: 4, static: 6}}
run: {end: 1.2, output_step: 0.02}
""")

add("beam_shaft", "beam in space, gear, friction, driver", """
beams:
  shaft: {type: circle, end: [1, 0, 0], radius: 0.01, E: 2e9, nu: 0.3, density: 2000, elements: 2, order: 2,
          damping: 1e-3}
bodies:
  drum: {mass: 1, inertia: 0.004, position: [1, 0, 0]}
  wheel: {mass: 1, inertia: 0.01, position: [1, 0.5, 0]}
joints:
  motor_pin: {type: revolute, a: ground, b: shaft.start, axis: [1, 0, 0]}
  motor: {type: driver, of: motor_pin.angle, motion: 1 - cos(4*t)}
  hub: {type: fixed, a: shaft.end, b: drum, axis: [1, 0, 0], point: [1, 0, 0]}
  bearing: {type: revolute, a: ground, b: wheel, point: [1, 0.5, 0], axis: [1, 0, 0],
            friction: {coulomb: 0.3, static: 0.4}}
  seat: {type: cylindrical, a: ground, b: drum, point: [1, 0, 0], axis: [1, 0, 0]}
  mesh: {type: gear, first: seat.angle, second: bearing.angle, ratio: -2}
run: {end: 1.5, output_step: 0.02}
""")

add("modal_crank_rubs", "modal body, loop, driver, friction", f"""
planar: true
parameters: {{speed: 20, r: 0.1}}
bodies:
  crank: {{mass: 0.5, inertia: 2.0e-3, position: [r/2, 0], angular_velocity: speed, velocity: [0, speed*r/2],
          frames: {{tip: [r/2, 0]}}}}
  slider: {{mass: 0.3, inertia: 1.0e-4, position: [r + 0.5, 0], velocity: [0, 0]}}
modal_bodies:
  rod: {{part: {PARTS}/rod.part, position: [r, 0, 0], velocity: [0, speed*r, 0],
        angular_velocity: -speed*r/0.5, damping: [0.02]}}
joints:
  bearing: {{type: revolute, a: ground, b: crank, point: [0, 0]}}
  motor: {{type: driver, of: bearing.angle, motion: speed*t}}
  big_end: {{type: revolute, a: crank.tip, b: rod.crank}}
  small_end: {{type: revolute, a: rod.pin, b: slider}}
  guide: {{type: prismatic, a: ground, b: slider, axis: [1, 0], friction: {{coulomb: 3}}}}
run: {{end: 0.4, output_step: 0.005}}
""")

add("loop_strikes", "loop, friction, rigid limit, spring", """
planar: true
gravity: 9.81
bodies:
  crank: {mass: 1, inertia: 0.02, position: [0, 0.15], frames: {o: [0, -0.15], a: [0, 0.15]}}
  rod: {mass: 1.5, inertia: 0.1, position: [0.4, 0.4], orientation: "atan2(0.2, 0.8)",
        frames: {a: [-sqrt(0.68)/2, 0], b: [sqrt(0.68)/2, 0]}}
  rocker: {mass: 2, inertia: 0.1, position: [0.8, 0.25], frames: {b: [0, 0.25], c: [0, -0.25]}}
joints:
  left: {type: revolute, a: ground, b: crank.o, friction: {coulomb: 0.2, static: 0.3}}
  top: {type: revolute, a: crank.a, b: rod.a}
  end: {type: revolute, a: rod.b, b: rocker.b}
  right: {type: revolute, a: ground.c, b: rocker.c, limits: {lower: -0.3, upper: 0.25, restitution: 0.5},
          stiffness: 12, free: -0.1}
ground: {frames: {c: [0.8, 0]}}
run: {end: 1.5, output_step: 0.02}
""", True)

add("lugre_strikes", "bristles (LuGre), rigid limit, force of time", """
planar: true
bodies: {block: {mass: 1, inertia: 1}}
joints:
  guide:
    type: prismatic
    a: ground
    b: block
    axis: [1, 0]
    force: 4*sin(5*t)
    friction: {law: lugre, coulomb: 1, static: 1.5, stribeck: 0.05, bristle_stiffness: 1e4,
               bristle_damping: 60}
    limits: {upper: 0.1, lower: -0.05, restitution: 0.5}
run: {end: 2, output_step: 0.02}
""")

add("rope", "limit of a distance, spherical joint, space", """
gravity: 9.81
bodies:
  arm: {mass: 1, inertia: 0.05, position: [0.3, 0, 0], frames: {root: [-0.3, 0, 0], tip: [0.3, 0, 0]}}
  bob: {mass: 0.4, point: true, position: [0.6, 0.1, -0.2]}
joints: {ball: {type: spherical, a: ground, b: arm.root}}
forces:
  rope: {type: limit, of: "distance(arm.tip, bob)", upper: 0.35, restitution: 0.2}
run: {end: 1.1, output_step: 0.01}
""", True)

add("skate_stops", "blade, rigid limit, slope, drag", """
gravity: [2, 0, -9.6]
bodies: {skate: {mass: 1, inertia: 0.05, velocity: [0.5, 0, 0], angular_velocity: [0, 0, 2]}}
joints: {blade: {type: knife-edge, a: ground, b: skate}}
forces:
  air: {type: drag, body: skate, linear: 0.2}
  fence: {type: limit, of: skate.y, upper: 0.12, restitution: 0.4}
  upright: {type: bushing, a: ground, b: skate, stiffness: [0, 0, 0, 1e2, 1e2, 0],
            damping: [0, 0, 0, 1, 1, 0]}
run: {end: 1.2, output_step: 0.02}
""", True)

add("cart_pole", "states of a controller, friction, rigid limits, event that is never met", """
planar: true
gravity: 9.81
bodies:
  cart: {mass: 1, inertia: 0.1}
  pole: {mass: 0.3, inertia: 0.01, position: [0.06, 0.3], orientation: -0.2, frames: {foot: [0, -0.306]}}
joints:
  rail: {type: prismatic, a: ground, b: cart, axis: [1, 0], friction: {coulomb: 0.4, static: 0.6},
         limits: {lower: -0.3, upper: 0.3, restitution: 0.3}}
  hinge: {type: revolute, a: cart, b: pole.foot, point: [0, 0]}
states: {motor: {rate: (30*(pole.x - cart.x) + 4*(pole.vx - cart.vx) - motor)/0.03, unit: N}}
forces: {drive: {type: applied, at: cart, force: [motor, 0]}}
events: {lost: {when: cart.x - 1}}
run: {end: 1.5, output_step: 0.02}
""")

add("bent_shaft", "bushing, friction, driver that jumps, space", """
bodies:
  input: {mass: 1, inertia: 0.02, angular_velocity: [3, 0, 0]}
  output: {mass: 2, inertia: 0.05, position: [0.5*cos(0.4), 0.5*sin(0.4), 0],
           orientation: {axis: [0, 0, 1], angle: 0.4}}
joints:
  left: {type: revolute, a: ground, b: input, axis: [1, 0, 0]}
  motor: {type: driver, of: left.angle, speed: "if(t < 0.5, 3, 1)"}
  right: {type: revolute, a: ground, b: output, point: [0.5*cos(0.4), 0.5*sin(0.4), 0],
          axis: [cos(0.4), sin(0.4), 0], friction: {coulomb: 0.1}}
forces:
  wind: {type: bushing, a: input, b: output, stiffness: [0, 0, 0, 4, 0, 0], damping: [0, 0, 0, 0.02, 0, 0]}
run: {end: 1.2, output_step: 0.02}
""")

add("screw_gear", "screw, rack, rigid limit, stepped torque, space", """
gravity: 9.81
bodies:
  nut: {mass: 2, inertia: 0.01}
  wheel: {mass: 1, inertia: 0.02, position: [1, 0, 0]}
joints:
  thread: {type: screw, a: ground, b: nut, axis: [0, 0, 1], pitch: 0.05, torque: "if(t < 0.6, 0.9, -0.4)",
           limits: {upper: 4, lower: -2, restitution: 0.4}}
  hub: {type: revolute, a: ground, b: wheel, point: [1, 0, 0], axis: [0, 1, 0], friction: {coulomb: 0.05}}
  mesh: {type: gear, first: thread.angle, second: hub.angle, ratio: 1.5}
run: {end: 2, output_step: 0.02}
""")

add("box_on_shaker", "box on a rigid floor, contact friction, driver with kinks", """
planar: true
gravity: 9.81
bodies:
  table: {mass: 5, inertia: 1, velocity: [0.6, 0]}
  box: {mass: 1, inertia: 0.02, position: [0, 0.1], velocity: [0.6, 0]}
joints:
  rail: {type: prismatic, a: ground, b: table, axis: [1, 0]}
  shaker: {type: driver, of: rail.distance, motion: "0.24 - 0.6*abs(mod(t, 0.8) - 0.4)"}
shapes:
  box: {type: box, size: [0.4, 0.2]}
  top: {type: plane, at: table}
contacts: {rub: {a: box, b: top, law: rigid, restitution: 0, friction: {coefficient: 0.3}}}
run: {end: 1.5, output_step: 0.02}
""")

add("tyre_step", "tyre on a ramp, compliant limit, state, driver", """
planar: true
gravity: 9.81
roads: {way: {type: step, position: 0.4, height: 0.05, length: 0.3}}
bodies:
  hub: {mass: 20, inertia: 0.5, position: [0, 0.29], velocity: [2, 0]}
  car: {mass: 200, inertia: 10, position: [0, 0.8], velocity: [2, 0]}
joints:
  forward: {type: driver, of: car.x, motion: 2*t}
  level: {type: parallel, a: ground, b: car, axis: [1, 0]}
  leg: {type: prismatic, a: car, b: hub, axis: [0, 1], stiffness: 2e4, free: 0.08, damping: 300,
        limits: {upper: 0.03, lower: -0.06, stiffness: 4e5, damping: 500}}
states: {height: {rate: (car.y - height)/0.1, start: 0.8, unit: m}}
forces:
  tyre: {type: tyre, at: hub, road: way, radius: 0.3, stiffness: 1e5, damping: 200}
  level_control: {type: applied, at: car, force: [0, 3000*(0.8 - height)]}
run: {end: 1, output_step: 0.02}
""")

add("capsule_falls", "capsule on a rigid floor, bushing, contact without friction, space", """
gravity: 9.81
bodies:
  pin: {mass: 1, inertia: [0.02, 0.02, 0.002], position: [0, 0, 0.5],
        orientation: {axis: [1, 0.3, 0], angle: 1.1}, angular_velocity: [0.5, 0, 0]}
ground: {frames: {hook: [0, 0, 0.5]}}
shapes:
  pin: {type: capsule, radius: 0.05, length: 0.4}
  floor: {type: plane, at: ground}
contacts: {hit: {a: pin, b: floor, law: rigid, restitution: 0.5}}
forces: {hold: {type: bushing, a: ground.hook, b: pin, stiffness: [3, 3, 1, 0, 0, 0]}}
run: {end: 0.8, output_step: 0.01}
""", True)

add("pulley_actuator", "rack, lag of an actuator, friction, rigid limit, table", """
planar: true
gravity: 9.81
tables: {pull: {points: [[0, 0], [0.3, 8], [0.8, 10]], interpolation: linear}}
bodies:
  load: {mass: 2, inertia: 0.1, position: [0.5, 0]}
  drum: {mass: 1, inertia: 0.02}
joints:
  shaft: {type: revolute, a: ground, b: drum, torque: effort, friction: {coulomb: 0.15, static: 0.2}}
  lift: {type: prismatic, a: ground, b: load, point: [0.5, 0], axis: [0, 1],
         limits: {lower: -0.02, upper: 0.4, restitution: 0.3}}
  rope: {type: rack, first: lift.distance, second: shaft.angle, ratio: 0.1}
states: {effort: {rate: (0.4*pull(t) - effort)/0.05, unit: N m}}
run: {end: 1.6, output_step: 0.02}
""")

add("loaded_cardan", "universal joint, friction loaded by reactions, rigid limit, space", """
gravity: 9.81
bodies:
  arm: {mass: 1, inertia: 0.02, position: [0.3, 0, 0], frames: {root: [-0.3, 0, 0]}}
  bob: {mass: 0.5, inertia: 0.01, position: [0.6, 0.2, 0], frames: {top: [0, -0.2, 0]}}
joints:
  knee: {type: universal, a: ground, b: arm.root}
  hinge: {type: revolute, a: arm, b: bob, point: [0.6, 0, 0], axis: [1, 0, 0],
          friction: {coefficient: 0.2, radius: 0.03, load: reaction}, limits: {lower: -1.2, restitution: 0.4}}
run: {end: 0.8, output_step: 0.01}
""", True)

add("wheel_jump", "rolling, rack, jump of a driver, friction, rigid limit", """
planar: true
ground: {frames: {floor: {orientation: {axis: [1, 0, 0], angle: -90 deg}}}}
bodies:
  hoop: {mass: 1, inertia: 0.04, position: [0, 0.2]}
  cart: {mass: 2, inertia: 0.1, position: [0, 0.2]}
  hand: {mass: 1, inertia: 0.1, position: [0, 1]}
joints:
  roll: {type: wheel, a: ground.floor, b: hoop, radius: 0.2}
  axle: {type: revolute, a: cart, b: hoop, friction: {coulomb: 0.1}}
  level: {type: parallel, a: ground, b: cart, axis: [1, 0]}
  rail: {type: prismatic, a: ground, b: hand, point: [0, 1], axis: [1, 0]}
  pull: {type: driver, of: rail.distance, speed: "if(t < 0.3, 0, if(t < 1, 0.8, -0.5))"}
forces:
  tie: {type: bushing, a: hand, b: cart, stiffness: [40, 0, 0, 0, 0, 0], damping: [1, 0, 0, 0, 0, 0]}
  fence: {type: limit, of: cart.x, upper: 0.3, restitution: 0.5}
run: {end: 1.6, output_step: 0.02}
""")

add("spheres", "two balls, rigid contact in space, spherical joint, limit", """
gravity: 9.81
bodies:
  bob: {mass: 1, inertia: 0.01, position: [0.5, 0, 0], frames: {top: [-0.5, 0, 0]}}
  ball: {mass: 0.6, inertia: 0.01, position: [0.02, 0.01, -0.6]}
joints: {pin: {type: spherical, a: ground, b: bob.top}}
shapes:
  bob: {type: sphere, radius: 0.1}
  ball: {type: sphere, radius: 0.1}
contacts: {hit: {a: bob, b: ball, law: rigid, restitution: 0.6}}
forces:
  hold: {type: spring, a: ground, b: ball, stiffness: 60, length: 0.5}
  bottom: {type: limit, of: ball.z, lower: -0.75, restitution: 0.5}
run: {end: 0.8, output_step: 0.01}
""", True)
