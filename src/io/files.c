// The files of a model: where they may be, and their bytes.
//
// A model is often somebody else's. What it names must be in its own folder or below it, in its project, or
// in a folder that the caller admits, after symbolic links are followed, and a regular file (base/file.h). A
// project is the nearest folder above the model with the file PROJECT. Every file that was read here is kept
// in the spec, so that a run can be continued when the files have changed or are gone: then they come from
// there (tml_read_def.sources), and none on disk is opened. Of meshes, which may be large, and which the run
// needs only where they touch or weigh, it keeps a checksum instead.
#define _DEFAULT_SOURCE  // realpath
#include "io/yaml.h"

#include "base/file.h"
#include "io/write.h"
#include "spec/mass/mesh.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROJECT "trammel.project"  // marks the folder of a project

static tml_status read_error(tmli_reader *r, tml_mark at, const char *path, const char *reason)
{
    return tmli_fail_at(r->err, TML_ERR_IO, at, "Cannot read '%s': %s.", path, reason);
}

// ---- folders ----------------------------------------------------------------------------------------------

char *tmli_relative_path(tmli_reader *r, const char *base, const char *name)
{
    const char *slash = strrchr(base, '/');
    const size_t folder = name[0] == '/' || !slash ? 0 : (size_t)(slash - base) + 1;
    char *path = tmli_arena_alloc(&r->spec->arena, folder + strlen(name) + 1, 1);
    if (!path) return NULL;
    memcpy(path, base, folder);
    memcpy(path + folder, name, strlen(name));
    return path;
}

static bool add_place(tmli_reader *r, const char *folder)
{
    char real[PATH_MAX];
    tmli_places *p = &r->spec->places;
    if (!realpath(folder, real)) return true;  // nothing is there
    return (p->folder[p->count++] = tmli_arena_strdup(&r->spec->arena, real)) != NULL;
}

// The file PROJECT in a folder, put there by this user or by root: others may write into folders above, as
// into /tmp.
static bool is_project(const char *folder)
{
    char path[PATH_MAX];
    struct stat info;
    const int n = snprintf(path, sizeof path, "%s/" PROJECT, folder);
    return n > 0 && n < (int)sizeof path && lstat(path, &info) == 0 && S_ISREG(info.st_mode) &&
           (info.st_uid == geteuid() || info.st_uid == 0);
}

// The nearest project at or above the folder, which is without symbolic links; the root of all folders is
// none.
static bool add_project(tmli_reader *r, const char *folder)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", folder);
    for (char *slash = path + strlen(path); slash && slash > path; slash = strrchr(path, '/')) {
        *slash = 0;
        if (path[0] && is_project(path)) return add_place(r, path);
    }
    return true;
}

// The folder of the model file, its project, and folders that the caller admits, without symbolic links.
tml_status tmli_set_places(tmli_reader *r)
{
    tmli_places *p = &r->spec->places;
    const char *slash = strrchr(r->main, '/');
    char *own = tmli_arena_alloc(&r->spec->arena, slash ? (size_t)(slash - r->main) + 2 : 2, 1);
    *p = (tmli_places){.limited = true};
    p->folder = tmli_arena_alloc(&r->spec->arena, (size_t)r->def->folder_count + 2, sizeof *p->folder);
    bool ok = own && p->folder;
    if (ok && slash) memcpy(own, r->main, (size_t)(slash - r->main) + 1);
    else if (ok) own[0] = '.';
    ok = ok && add_place(r, own);
    if (ok && p->count > 0) ok = add_project(r, p->folder[0]);
    for (int i = 0; i < r->def->folder_count && ok; i++) ok = add_place(r, r->def->folders[i]);
    return ok ? TML_OK : tmli_fail(r->err, TML_ERR_NOMEM, "No memory to read '%s'.", r->main);
}

// ---- bytes ------------------------------------------------------------------------------------------------

// The first stored file with the same text: one file that the model has named in two ways.
static int first_alike(const tml_source *s, int index)
{
    int i = 0;
    while (i < index && (!s[i].text || s[i].length != s[index].length ||
                         memcmp(s[i].text, s[index].text, s[i].length) != 0))
        i++;
    return i;
}

static tml_status copy_source(tmli_reader *r, tml_mark at, const char *path, tmli_bytes *out)
{
    for (int i = 0; i < r->def->source_count; i++) {
        const tml_source *s = &r->def->sources[i];
        if (!s->text || strcmp(s->path, path) != 0) continue;
        *out = (tmli_bytes){.length = s->length, .ino = (uint64_t)first_alike(r->def->sources, i) + 1};
        out->data = tmli_calloc(r->env, s->length + 1, 1);
        if (!out->data) return tmli_fail(r->err, TML_ERR_NOMEM, "No memory to read '%s'.", path);
        memcpy(out->data, s->text, s->length);
        return TML_OK;
    }
    return read_error(r, at, path, "it is not among the stored files");
}

// The bytes are kept in the spec, which also owns them after an error.
static tml_status keep(tmli_reader *r, const char *path, const tmli_bytes *bytes, tmli_model_text *out)
{
    const int index = r->spec->nsources;
    const tml_status st = tmli_spec_keep_source(r->spec, path, bytes->data, bytes->length, r->err);
    if (st != TML_OK) return st;
    *out = (tmli_model_text){path, bytes->data, bytes->length, bytes->dev, bytes->ino};
    r->identity[index] = (tmli_file_identity){bytes->dev, bytes->ino};
    return TML_OK;
}

// The text of the model that a robot becomes. Positions in it are those of a file that is not there.
static tml_status translate(tmli_reader *r, tmli_bytes *bytes, const char **label)
{
    tml_import_def def = tml_import_def_default();
    const char *slash = strrchr(r->main, '/');
    const int length = slash ? (int)(slash - r->main) + 1 : 0;
    char *folder = tmli_arena_format(&r->spec->arena, "%.*s", length, r->main), *head = NULL;
    tml_spec *robot = NULL;
    def.path = r->main;
    if (r->import) def = *r->import;
    const char *name = strrchr(def.path, '/');
    head = tmli_arena_format(&r->spec->arena, "translated from %s by trammel import",
                             name ? name + 1 : def.path);
    *label = tmli_arena_format(&r->spec->arena, "%s (as a model)", def.path);
    if (!folder || !head || !*label) return tmli_no_memory(r->err, "model");
    tmli_clean(head);
    char *text = NULL;
    size_t size = 0;
    tml_status st =
        tmli_import(&def, bytes->data, bytes->length, &r->spec->places, folder, r->env, &robot, r->err);
    if (st == TML_OK) st = tmli_yaml_write(robot, head, folder, &text, &size, r->err);
    for (int i = 0; st == TML_OK && i < tml_spec_note_count(robot); i++) {
        const tml_note *n = tml_spec_note(robot, i);
        st = tmli_spec_add_note(r->spec, (tml_mark){n->file, n->line, n->col}, n->text, r->err);
    }
    tml_spec_destroy(robot);
    if (st != TML_OK) {
        tmli_free(r->env, text);
        return st;
    }
    tmli_free(r->env, bytes->data);
    bytes->data = text;
    bytes->length = size;
    return TML_OK;
}

// A robot instead of a model: its text is made here. Who did not ask for an import is told where the notes
// are.
static tml_status take_robot(tmli_reader *r, tmli_bytes *bytes, const char **label)
{
    const bool xml = tmli_is_xml(bytes->data, bytes->length);
    if (!xml && r->import)
        return tmli_fail_at(r->err, TML_ERR_SYNTAX, (tml_mark){r->import->path, 1, 1},
                            "This is no XML file, expected the <robot> of a URDF file "
                            "or the <mujoco> of an MJCF file.%s",
                            tmli_ends_with(r->import->path, ".yaml") ? " (A model file needs no import.)"
                                                                     : "");
    if (!xml) return TML_OK;
    r->translated = true;
    const tml_status st = translate(r, bytes, label);
    const int notes = tml_spec_note_count(r->spec);
    if (st == TML_OK && !r->import && notes > 0)
        tmli_log(r->env, TML_LOG_WARNING,
                 "%s: %d note%s on what the model leaves out or changes: trammel import lists them", r->main,
                 notes, tmli_plural(notes));
    return st;
}

// The program whose files have the ending of this one, or NULL.
static const char *other_program(const char *path)
{
    static const char *const endings[][2] = {
        {".adm", "Adams"},     {".cmd", "Adams"},  {".mbd", "MBDyn"},    {".slx", "Simulink"},
        {".mdl", "Simulink"},  {".m", "MATLAB"},   {".mo", "Modelica"},  {".py", "Python"},
        {".ipynb", "Jupyter"}, {".sdf", "Gazebo"}, {".osim", "OpenSim"}, {".fmu", "FMI"},
        {".step", "CAD"},      {".stp", "CAD"},    {".stl", "CAD"},      {".html", "browsers"},
        {".svg", "browsers"},  {".xlsx", "Excel"}, {".c", "C"}};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (tmli_ends_with(path, endings[i][0])) return endings[i][1];
    return NULL;
}

tml_status tmli_read_main(tmli_reader *r, const char *path, const tmli_bytes *memory, tmli_model_text *out)
{
    const tml_mark at = {path, 0, 0};
    tmli_bytes bytes = {0};
    char reason[TMLI_FILE_REASON];
    tml_status st;
    if (memory) {
        bytes = (tmli_bytes){.data = tmli_calloc(r->env, memory->length + 1, 1), .length = memory->length};
        if (!bytes.data) return tmli_fail(r->err, TML_ERR_NOMEM, "No memory to read '%s'.", path);
        memcpy(bytes.data, memory->data, memory->length);
        st = TML_OK;
    } else if (r->def->source_count > 0) {
        st = copy_source(r, at, path, &bytes);
    } else {
        const char *file = r->import ? r->import->path : path;
        st = tmli_file_load(file, NULL, TMLI_FILE_BYTES, TMLI_FILE_STREAM, r->env, &bytes, reason);
        if (st == TML_ERR_NOMEM) tmli_fail(r->err, st, "No memory to read '%s'.", file);
        else if (st != TML_OK) read_error(r, (tml_mark){file, 0, 0}, file, reason);
    }
    static const char hdf5[] = "\x89HDF\r\n";
    if (st == TML_OK && bytes.length > sizeof hdf5 && memcmp(bytes.data, hdf5, sizeof hdf5 - 1) == 0)
        st = tmli_fail_at(r->err, TML_ERR_SYNTAX, at,
                          "'%s' is an HDF5 file, a result; expected a model file (YAML or JSON).", path);
    const char *label = NULL;
    const char *program = memory ? NULL : other_program(path);
    if (st == TML_OK && program)
        st = tmli_fail_at(
            r->err, TML_ERR_SYNTAX, at,
            "'%s' is a file of %s; expected a model file (YAML or JSON) or a robot (URDF, MJCF).", path,
            program);
    if (st == TML_OK) st = take_robot(r, &bytes, &label);
    if (st != TML_OK) tmli_free(r->env, bytes.data);
    else st = keep(r, path, &bytes, out);
    if (st == TML_OK && label) out->path = label;
    return st;
}

static tml_status check_count(tmli_reader *r, tml_mark at)
{
    if (r->spec->nsources < TMLI_FILES) return TML_OK;
    return tmli_fail_at(r->err, TML_ERR_MODEL, at, "The model has more than %d files.", TMLI_FILES);
}

tml_status tmli_read_file(tmli_reader *r, tml_mark at, const char *base, const char *name, size_t most,
                          tmli_model_text *out)
{
    const char *path = tmli_relative_path(r, base, name);
    if (!path) return tmli_fail(r->err, TML_ERR_NOMEM, "No memory for the name of a file.");
    for (int i = 0; i < r->spec->nsources; i++) {
        const tml_source *s = &r->spec->sources[i];
        if (!s->text || strcmp(s->path, path) != 0) continue;  // not read before
        *out = (tmli_model_text){s->path, s->text, s->length, r->identity[i].dev, r->identity[i].ino};
        return TML_OK;
    }
    tmli_bytes bytes = {0};
    tml_status st = check_count(r, at);
    if (st != TML_OK) return st;
    if (r->def->source_count > 0) {
        st = copy_source(r, at, path, &bytes);
    } else {
        char reason[TMLI_FILE_REASON];
        st = tmli_file_load(path, &r->spec->places, most, TMLI_FILE_REGULAR, r->env, &bytes, reason);
        if (st == TML_ERR_NOMEM) tmli_fail(r->err, st, "No memory to read '%s'.", path);
        else if (st != TML_OK) read_error(r, at, path, reason);
    }
    return st == TML_OK ? keep(r, path, &bytes, out) : st;
}

// ---- meshes -----------------------------------------------------------------------------------------------

static tml_status digest_mesh(tmli_reader *r, tml_mark at, const char *path, tmli_digest *out)
{
    char reason[TMLI_FILE_REASON];
    const tml_status st = tmli_file_digest(path, &r->spec->places, TMLI_MESH_BYTES, r->env, out, reason);
    if (st == TML_ERR_NOMEM) return tmli_fail(r->err, st, "No memory to read '%s'.", path);
    if (st != TML_OK) return read_error(r, at, path, reason);
    if (!out->there)
        tmli_log(r->env, TML_LOG_WARNING, "%s:%d: the mesh '%s' is not there", at.file ? at.file : r->main,
                 at.line, path);
    return TML_OK;
}

static void digest_source(const tml_read_def *def, const char *path, tmli_digest *out)
{
    *out = (tmli_digest){0};
    for (int i = 0; i < def->source_count && !out->there; i++) {
        const tml_source *s = &def->sources[i];
        if (strcmp(s->path, path) != 0) continue;
        *out = (tmli_digest){true, s->length, s->text ? tmli_checksum(s->text, s->length) : s->hash};
    }
}

tml_status tmli_note_mesh(tmli_reader *r, tml_mark at, const char *path)
{
    tmli_digest d;
    tml_status st = TML_OK;
    if (tmli_spec_find_source(r->spec, path, true)) return TML_OK;
    if (r->def->source_count > 0) digest_source(r->def, path, &d);
    else st = digest_mesh(r, at, path, &d);
    if (st != TML_OK || !d.there) return st;
    st = check_count(r, at);
    return st == TML_OK ? tmli_spec_keep_mesh(r->spec, path, (size_t)d.length, d.hash, r->err) : st;
}
