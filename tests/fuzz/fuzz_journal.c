// Any bytes as the journal of a study, and its tables. Inputs are lines without checksums: these are put to
// them here, where the line does not end in '!'.
#include "base/base.h"
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/study.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char MODEL[] = "planar: true\n"
                            "parameters: {L: 1.3, m: 0.7}\n"
                            "bodies: {bob: {mass: m, inertia: 0.02, position: [L, 0]}}\n"
                            "joints: {pin: {type: revolute, a: ground, b: bob, point: [0, 0]}}\n"
                            "outputs: {height: bob.y}\n"
                            "run: {end: 0.01}\n";
static const char STUDY[] = "model: model.yaml\n"
                            "sampling: {method: grid}\n"
                            "parameters: {m: {from: 1, to: 2, count: 5}}\n"
                            "quantities: {low: {of: height, take: min}, last: {of: height}}\n";

static void require(int condition)
{
    if (!condition) abort();
}

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    require(f && fwrite(data, 1, size, f) == size && fclose(f) == 0);
}

static tml_study *begin(char *head, size_t room)
{
    tml_study *study = NULL;
    write_file("model.yaml", MODEL, strlen(MODEL));
    write_file("study.yaml", STUDY, strlen(STUDY));
    tml_error err = {0};
    if (tml_study_read("study.yaml", NULL, &study, &err) != TML_OK) puts(err.msg);
    require(study != NULL);
    tml_study_run_def def = tml_study_run_def_default();
    def.out = "whole";
    def.threads = 1;
    def.overwrite = true;
    require(tml_study_run(study, &def, NULL, NULL) == TML_OK);
    FILE *f = fopen("whole.journal", "rb");
    require(f != NULL);
    // the line with the signature, and the names
    const size_t n = fread(head, 1, room - 1, f);
    head[n] = 0;
    fclose(f);
    char *end = strchr(head, '\n');
    end = end ? strchr(end + 1, '\n') : NULL;
    require(end != NULL);
    end[1] = 0;
    return study;
}

static void write_journal(const char *head, const uint8_t *data, size_t size)
{
    FILE *f = fopen("fuzz.journal", "wb");
    require(f != NULL);
    fputs(head, f);
    for (size_t i = 0, end; i < size; i = end + 1) {
        for (end = i; end < size && data[end] != '\n';) end++;
        const char *line = (const char *)data + i;
        fwrite(line, 1, end - i, f);
        if (end == i || line[end - i - 1] != '!') fprintf(f, ",%016" PRIx64, tmli_checksum(line, end - i));
        if (end < size) fputc('\n', f);
    }
    require(fclose(f) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char head[4096];
    static tml_study *study;
    if (!study) study = begin(head, sizeof head);
    write_journal(head, data, size);
    tml_study_table *table = NULL;
    tml_error err = {0};
    const tml_status st = tml_study_table_read(study, "fuzz.journal", &table, &err);
    require((st == TML_OK) == (table != NULL));
    require(st == TML_OK || err.msg[0]);
    const long members = tml_study_member_count(study);
    for (long i = 0, last = -1; i < tml_study_table_count(table); i++) {
        const long member = tml_study_table_member(table, i);
        require(member > last && member < members);
        last = member;
        require(tml_study_table_values(table, i) && tml_study_table_message(table, i));
    }
    if (table) {
        tml_study_statistics s;
        for (int i = 0; i < 3; i++) require(tml_study_table_statistics(table, i, &s, NULL) == TML_OK);
        require(tml_study_table_write(study, table, "fuzz_table.csv", NULL) == TML_OK);
    }
    tml_study_table_destroy(table);
    return 0;
}
