// modelDescription.xml of FMI 2.0 and 3.0. Nothing in it depends on the day or the machine.
#include "base/quantity.h"
#include "base/stream.h"
#include "base/tolerances.h"
#include "fmu/unit/list.h"
#include "fmu/write/write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void put_attribute(FILE *f, const char *name, const char *text)
{
    fprintf(f, " %s=\"", name);
    tmli_put_markup(f, text);
    fputc('"', f);
}

static void put_number(FILE *f, const char *name, double x)
{
    char digits[32];
    fprintf(f, " %s=\"%s\"", name, tmli_dtoa(x, digits));
}

// ---- units ------------------------------------------------------------------------------------------------

static bool is_first(const tmli_fmu_variables *v, int i)
{
    for (int k = 0; k < i; k++)
        if (v->item[k].unit && strcmp(v->item[k].unit, v->item[i].unit) == 0) return false;
    return true;
}

static void put_power(FILE *f, const char *name, int power)
{
    if (power != 0) fprintf(f, " %s=\"%d\"", name, power);
}

// A unit that the library does not know has a name only.
static void put_units(FILE *f, const tmli_fmu_variables *v)
{
    fputs("  <UnitDefinitions>\n", f);
    for (int i = 0; i < v->count; i++) {
        if (!v->item[i].unit || !is_first(v, i)) continue;
        const tmli_unit u = tmli_unit_read(v->item[i].unit);
        fputs("    <Unit", f);
        put_attribute(f, "name", v->item[i].unit);
        if (u.kind == TMLI_UNIT_KNOWN) {
            fputs("><BaseUnit", f);
            put_power(f, "kg", u.kg);
            put_power(f, "m", u.m);
            put_power(f, "s", u.s);
            put_power(f, "rad", u.rad);
            if (u.factor != 1) put_number(f, "factor", 1 / u.factor);
            fputs("/></Unit>\n", f);
        } else fputs("/>\n", f);
    }
    fputs("  </UnitDefinitions>\n", f);
}

// ---- variables --------------------------------------------------------------------------------------------

static const char *const causality[] = {"independent", "input", "output", "parameter"};
static const char *const variability[] = {"continuous", "continuous", "continuous", "tunable"};

static void put_variable(FILE *f, const tmli_fmu_variable *v, int reference, int fmi)
{
    fputs(fmi == 2 ? "    <ScalarVariable" : "    <Float64", f);
    put_attribute(f, "name", v->name);
    fprintf(f, " valueReference=\"%d\" causality=\"%s\" variability=\"%s\"", reference, causality[v->role],
            variability[v->role]);
    if (fmi == 2) fputs("><Real", f);
    if (v->unit) put_attribute(f, "unit", v->unit);
    if (isfinite(v->start)) put_number(f, "start", v->start);
    fputs(fmi == 2 ? "/></ScalarVariable>\n" : "/>\n", f);
}

// Every output may depend on everything: nothing is said of it.
static void put_structure(FILE *f, const tmli_fmu_variables *v, int fmi)
{
    static const char *const lists[] = {"Outputs", "InitialUnknowns"};
    static const char *const unknowns[] = {"Output", "InitialUnknown"};
    fputs("  <ModelStructure>\n", f);
    for (int k = 0; k < 2; k++) {
        if (fmi == 2 && v->outputs > 0) fprintf(f, "    <%s>\n", lists[k]);
        for (int i = 0; i < v->count; i++) {
            if (v->item[i].role != TMLI_ROLE_OUTPUT) continue;
            if (fmi == 2) fprintf(f, "      <Unknown index=\"%d\"/>\n", i + 1);
            else fprintf(f, "    <%s valueReference=\"%d\"/>\n", unknowns[k], i);
        }
        if (fmi == 2 && v->outputs > 0) fprintf(f, "    </%s>\n", lists[k]);
    }
    fputs("  </ModelStructure>\n", f);
}

// ---- the page ---------------------------------------------------------------------------------------------

static void put_head(FILE *f, const tmli_fmu_def *def, const char *token)
{
    const char *title = tml_model_title(tml_sim_model(def->sim));
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription", f);
    put_attribute(f, "fmiVersion", def->fmi == 2 ? "2.0" : "3.0");
    put_attribute(f, "modelName", def->name);
    put_attribute(f, def->fmi == 2 ? "guid" : "instantiationToken", token);
    if (*title) put_attribute(f, "description", title);
    put_attribute(f, "generationTool", "Trammel " TRAMMEL_VERSION);
    put_attribute(f, "variableNamingConvention", "flat");
    if (def->fmi == 2) put_attribute(f, "numberOfEventIndicators", "0");
    fputs(">\n  <CoSimulation", f);
    put_attribute(f, "modelIdentifier", def->identifier);
    put_attribute(f, "canHandleVariableCommunicationStepSize", "true");
    if (def->fmi == 2) {
        fputs(" canInterpolateInputs=\"true\" canNotUseMemoryManagementFunctions=\"true\""
              " canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\"/>\n",
              f);
        return;
    }
    fputs(" canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\"/>\n", f);
}

tml_status tmli_fmu_describe(const tmli_fmu_def *def, const tmli_fmu_variables *v, const char *token,
                             const tml_env *env, char **text, size_t *size, tml_error *err)
{
    static const char *const categories[TMLI_FMU_CATEGORIES] = TMLI_FMU_CATEGORY_NAMES;
    FILE *f = tmli_memory_stream(env, text, size);
    if (!f) return tmli_no_memory(err, "unit");
    const tml_run_def *run = tml_sim_settings(def->sim);
    put_head(f, def, token);
    put_units(f, v);
    fputs("  <LogCategories>\n", f);
    for (int i = 0; i < TMLI_FMU_CATEGORIES; i++) fprintf(f, "    <Category name=\"%s\"/>\n", categories[i]);
    fputs("  </LogCategories>\n  <DefaultExperiment", f);
    put_number(f, "startTime", run->start);
    put_number(f, "stopTime", run->end);
    if (run->tol > 0) put_number(f, "tolerance", run->tol);
    put_number(f, "stepSize",
               run->output_step > 0 ? run->output_step : (run->end - run->start) / TMLI_RUN_OUTPUTS);
    fputs("/>\n  <ModelVariables>\n", f);
    for (int i = 0; i < v->count; i++) put_variable(f, &v->item[i], i, def->fmi);
    fputs("  </ModelVariables>\n", f);
    put_structure(f, v, def->fmi);
    fputs("</fmiModelDescription>\n", f);
    return fclose(f) == 0 && *text ? TML_OK : tmli_no_memory(err, "unit");
}
