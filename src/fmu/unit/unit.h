// A model as a unit of co-simulation: what the functions of FMI 2 and 3 have in common.
//
// Variables have a number, their reference: 0 is the time, then come inputs, outputs (channels),
// parameters, in the order of the list of the archive (list.h). Parameters build the model, so that one
// that is set while the unit runs builds it again, and goes on at the state that was reached.
//
// A call that fails changes nothing.
#ifndef TMLI_FMU_UNIT_H
#define TMLI_FMU_UNIT_H

#include "fmu/unit/list.h"

#include <trammel/sim.h>

typedef struct tmli_fmu_input {
    double value, rate;  // [unit], [unit/s] from the present time on
    bool given;          // by the importer; else as in the model
    bool changed;        // since the simulation knows it
} tmli_fmu_input;

typedef struct tmli_fmu_parameter {
    double value;  // as set; or of the model that is built
    bool given;    // by the importer
} tmli_fmu_parameter;

typedef struct tmli_fmu {
    tml_env env;
    tmli_fmu_list list;
    double start, stop, tolerance;  // of the experiment; NAN: as in the model
    bool running;                   // the start is over: a model that is built again goes on
    bool stale;                     // a parameter was set since the model was built
    tml_model *model;               // NULL: not yet built
    tml_sim *sim;
    tml_state *state;               // the consistent one at the present time, of which outputs are told
    double *channel_value;          // (channels) its values
    bool known;                     // they are those of the present time
    tmli_fmu_input *input;          // (list.inputs)
    tmli_fmu_parameter *parameter;  // (list.parameters)
    int *motion;                    // (list.outputs) channels that follow from positions and velocities
    int *slot;                      // (list.outputs) place of each among them; -1: it is none
    int motions;
    double *motion_value;  // (motions) at the last step, if `moved`
    bool moved;
    int *channel;  // (list.outputs) index of each
} tmli_fmu;

typedef enum tmli_fmu_kind {
    TMLI_FMU_NONE,
    TMLI_FMU_TIME,
    TMLI_FMU_INPUT,
    TMLI_FMU_OUTPUT,
    TMLI_FMU_PARAMETER
} tmli_fmu_kind;

/** A unit from the folder `resources` of its archive. token: what the importer has read in the description;
 * another one is refused. env is copied. */
tml_status tmli_fmu_open(const char *folder, const char *token, const tml_env *env, tmli_fmu **out,
                         tml_error *err);
void tmli_fmu_close(tmli_fmu *f);  // accepts NULL
/** All variables as at the beginning, no simulation. */
void tmli_fmu_reset(tmli_fmu *f);

/** Build what is not built yet, and tell the simulation its inputs. */
tml_status tmli_fmu_ready(tmli_fmu *f, tml_error *err);
/** The references exist. */
tml_status tmli_fmu_get(tmli_fmu *f, const unsigned *references, size_t count, double *out, tml_error *err);
/** Set inputs and parameters. Errors: TML_ERR_NAME (no such variable, one that cannot be set), TML_ERR_ARG (a
 * value that is not finite). */
tml_status tmli_fmu_set(tmli_fmu *f, const unsigned *references, size_t count, const double *values,
                        tml_error *err);
/** The same for rates of inputs. */
tml_status tmli_fmu_set_rates(tmli_fmu *f, const unsigned *references, size_t count, const double *values,
                              tml_error *err);
/** Advance to t_end [s]. *event: name of the event of the model that has ended the run before; NULL: none.
 */
tml_status tmli_fmu_step(tmli_fmu *f, double t_end, const char **event, tml_error *err);
double tmli_fmu_time(const tmli_fmu *f);  // [s]; before the start: its time, NAN if only the model knows it

/** Everything that later calls depend on, as bytes; data NULL: only *size. */
tml_status tmli_fmu_save(tmli_fmu *f, void *data, size_t capacity, size_t *size, tml_error *err);
tml_status tmli_fmu_load(tmli_fmu *f, const void *data, size_t size, tml_error *err);

// of unit.c, for state.c
/** The model with parameters as given. */
tml_status tmli_fmu_build_model(const tmli_fmu *f, const tmli_fmu_parameter *parameter, tml_model **out,
                                double *values, tml_error *err);
/** Take a model, NULL: the one that is there, and a simulation of it, which the unit owns from now on;
 * after an error it does not, and has its own ones still. */
tml_status tmli_fmu_take(tmli_fmu *f, tml_model *model, tml_sim *sim, tml_error *err);
/** Without a simulation. */
void tmli_fmu_drop(tmli_fmu *f);

#endif
