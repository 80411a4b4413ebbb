// The models and studies of `trammel new`: the files of cli/help/templates, in the order of their names.
#ifndef CLI_TEMPLATES_H
#define CLI_TEMPLATES_H

typedef struct cli_template {
    const char *name;  // of the file: "pendulum.yaml", "pendulum_study.yaml"
    const char *text;
} cli_template;

extern const cli_template cli_templates[];  // ends with a NULL name

#endif
