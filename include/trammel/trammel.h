// All public headers of the library. Those of libtrammel_plot and libtrammel_view are not among them.
#ifndef TRAMMEL_TRAMMEL_H
#define TRAMMEL_TRAMMEL_H

#include <trammel/advice.h>
#include <trammel/archive.h>
#include <trammel/base.h>
#include <trammel/bodies.h>
#include <trammel/check.h>
#include <trammel/compare.h>
#include <trammel/forces.h>
#include <trammel/import.h>
#include <trammel/integrator.h>
#include <trammel/joints.h>
#include <trammel/linear.h>
#include <trammel/linsolver.h>
#include <trammel/model.h>
#include <trammel/modes.h>
#include <trammel/part.h>
#include <trammel/result.h>
#include <trammel/robot.h>
#include <trammel/run.h>
#include <trammel/shapes.h>
#include <trammel/sim.h>
#include <trammel/spec.h>
#include <trammel/study.h>
#include <trammel/switches.h>
#include <trammel/system.h>

#endif
