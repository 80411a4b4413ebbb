// The reference page of study files, from their schema.
#include "study/file/study.h"

static const char intro[] =
    "# The study file\n\n"
    "<!-- generated from src/study/file/schema.c: do not edit by hand -->\n\n"
    "A study file is one YAML (or JSON) document: a model, what varies, and what is wanted of each run "
    "([a study from question to plot](studies.md)). Numbers may be expressions such as `2*pi/3`. A key that "
    "is not listed here is an error.\n";

void tmli_study_markdown(tmli_text_sink *sink, void *user)
{
    sink(intro, user);
    tmli_schema_section("Study", &tmli_schema_study, sink, user);
    tmli_schema_section("Sampling", &tmli_schema_study_sampling, sink, user);
    tmli_schema_section("Parameters", &tmli_schema_study_parameter, sink, user);
    tmli_schema_section("Quantities", &tmli_schema_study_quantity, sink, user);
    tmli_schema_section("Optimize", &tmli_schema_study_optimize, sink, user);
}
