// A VTK series: a .pvd file that names the surface of every time, and these surfaces (.vtp, XML, ASCII). The
// cells have the number of their part, in the order of the comment at the head of the .pvd file.
#define _POSIX_C_SOURCE 200809L
#include "base/target.h"
#include "view/export/export.h"

#include <string.h>

static void put_escaped(FILE *out, const char *text)
{
    char one[TMLI_MARKUP];
    while (*text) {
        text += tmli_markup(text, one);
        fputs(*one == '-' ? "&#45;" : one, out);  // "--" ends a comment
    }
}

// Springs, rods and beams where they are now.
static tml_status collect_links(const tmli_figure *f, tmli_surface *all, tml_error *err)
{
    for (int i = 0; i < f->links; i++) {
        vec3 end[2];
        tmli_figure_ends(f, &f->link[i], end);
        tmli_surface_bar(all, end[0], end[1], f->link[i].radius);
    }
    return all->failed ? tmli_no_memory(err, "surface") : TML_OK;
}

static void put_points(FILE *out, const tmli_surface *s, const tmli_figure_pose *pose)
{
    const mat3 R = pose ? q_matrix(pose->q) : m3_identity();
    const vec3 p = pose ? pose->p : (vec3){0, 0, 0};
    for (int i = 0; i < s->vertices; i++) {
        const float *v = s->vertex + (ptrdiff_t)3 * i;
        const vec3 x = v3_add(p, m3_mulv(&R, (vec3){(double)v[0], (double)v[1], (double)v[2]}));
        fprintf(out, "%.7g %.7g %.7g\n", x.x, x.y, x.z);
    }
}

static void put_cells(FILE *out, const tmli_surface *s, int first)
{
    for (int i = 0; i < s->triangles; i++) {
        const int *t = s->triangle + (ptrdiff_t)3 * i;
        fprintf(out, "%d %d %d\n", first + t[0], first + t[1], first + t[2]);
    }
}

static void put_surface(FILE *out, const tmli_figure *f, const tmli_surface *links)
{
    int vertices = links->vertices, triangles = links->triangles, first = links->vertices;
    for (int i = 0; i < f->parts; i++) {
        vertices += f->part[i].surface.vertices;
        triangles += f->part[i].surface.triangles;
    }
    fprintf(
        out,
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
        "<PolyData>\n<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"0\" NumberOfLines=\"0\" "
        "NumberOfStrips=\"0\" NumberOfPolys=\"%d\">\n<Points>\n"
        "<DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">\n",
        vertices, triangles);
    put_points(out, links, NULL);
    for (int i = 0; i < f->parts; i++)
        put_points(out, &f->part[i].surface, f->part[i].body < 0 ? NULL : &f->pose[f->part[i].body]);
    fputs("</DataArray>\n</Points>\n<Polys>\n"
          "<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">\n",
          out);
    put_cells(out, links, 0);
    for (int i = 0; i < f->parts; first += f->part[i].surface.vertices, i++)
        put_cells(out, &f->part[i].surface, first);
    fputs("</DataArray>\n<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">\n", out);
    for (int i = 1; i <= triangles; i++) fprintf(out, "%d\n", 3 * i);
    fputs("</DataArray>\n</Polys>\n<CellData Scalars=\"part\">\n"
          "<DataArray type=\"Int32\" Name=\"part\" format=\"ascii\">\n",
          out);
    for (int i = 0; i < links->triangles; i++) fprintf(out, "%d\n", f->parts);
    for (int i = 0; i < f->parts; i++)
        for (int k = 0; k < f->part[i].surface.triangles; k++) fprintf(out, "%d\n", i);
    fputs("</DataArray>\n</CellData>\n</Piece>\n</PolyData>\n</VTKFile>\n", out);
}

static tml_status write_surface(const tmli_figure *f, const char *path, tml_error *err)
{
    tmli_surface links = {.env = &f->env};
    tml_status st = collect_links(f, &links, err);
    tmli_draft d = {0};
    if (st == TML_OK) st = tmli_draft_open(&d, path, &f->env, err);
    if (st == TML_OK) put_surface(d.out, f, &links);
    st = tmli_draft_close(&d, st, err);
    tmli_surface_clear(&links);
    return st;
}

static void put_parts(FILE *out, const tmli_figure *f)
{
    fputs("<!-- parts:", out);
    for (int i = 0; i < f->parts; i++) {
        fprintf(out, " %d ", i);
        put_escaped(out, f->part[i].name);
    }
    if (f->links > 0) fprintf(out, " %d springs, rods and beams", f->parts);
    fputs(" -->\n", out);
}

tml_status tmli_export_vtk(tmli_figure *f, const tmli_times *times, const char *path, tml_error *err)
{
    const size_t length = strlen(path), stem = length > 4 ? length - 4 : length, room = length + 32;
    const char *slash = strrchr(path, '/');
    char *name = tmli_calloc(&f->env, room, 1);
    if (!name) return tmli_no_memory(err, "name of a file");
    tmli_draft d;
    tml_status st = tmli_draft_open(&d, path, &f->env, err);
    if (st == TML_OK) {
        FILE *const out = d.out;
        fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
              "byte_order=\"LittleEndian\">\n",
              out);
        put_parts(out, f);
        fputs("<Collection>\n", out);
        for (size_t i = 0; i < times->count && st == TML_OK; i++) {
            snprintf(name, room, "%.*s-%04zu.vtp", (int)stem, path, i);
            tmli_figure_set_time(f, times->t[i]);
            st = write_surface(f, name, err);
            fprintf(out, "<DataSet timestep=\"%.12g\" part=\"0\" file=\"", times->t[i]);
            put_escaped(out, slash ? name + (slash - path) + 1 : name);
            fputs("\"/>\n", out);
        }
        fputs("</Collection>\n</VTKFile>\n", out);
        st = tmli_draft_close(&d, st, err);
    }
    tmli_free(&f->env, name);
    return st;
}
