#include "collectives/base/canvas.h"

#include <math.h>
#include <string.h>

/* DejaVu Sans, the widest of the usual fonts, takes 0.64 em for a digit and about as much for a letter. */
static const double GLYPH_EM = 0.64;

static void add_escaped(struct ar_text *out, const char *string)
{
    struct ar_text visible = {0}, valid = {0};
    ar_text_add_visible(&visible, string);
    ar_text_add_utf8(&valid, visible.data ? visible.data : "");
    for (const char *c = valid.data ? valid.data : ""; *c; c++) {
        const char *name = *c == '&' ? "&amp;" : *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : NULL;
        if (name)
            ar_text_add(out, "%s", name);
        else
            ar_text_add_bytes(out, c, 1);
    }
    ar_text_free(&visible);
    ar_text_free(&valid);
}

static void add_pen(struct ar_canvas *canvas, const struct ar_pen *pen)
{
    ar_text_add(&canvas->body, " fill=\"%s\"", pen->fill ? pen->fill : "none");
    if (pen->stroke)
        ar_text_add(&canvas->body, " stroke=\"%s\" stroke-width=\"%.2f\"", pen->stroke, pen->width);
    if (pen->dash)
        ar_text_add(&canvas->body, " stroke-dasharray=\"%s\"", pen->dash);
    ar_text_add(&canvas->body, "/>\n");
}

void ar_canvas_open(struct ar_canvas *canvas, const char *class, const char *tip)
{
    ar_text_add(&canvas->body, "<g class=\"%s\">", class);
    if (tip) {
        ar_text_add(&canvas->body, "<title>");
        add_escaped(&canvas->body, tip);
        ar_text_add(&canvas->body, "</title>");
    }
    ar_text_add(&canvas->body, "\n");
}

void ar_canvas_close(struct ar_canvas *canvas)
{
    ar_text_add(&canvas->body, "</g>\n");
}

void ar_canvas_rect(struct ar_canvas *canvas, struct ar_box box, const struct ar_pen *pen)
{
    ar_text_add(&canvas->body, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"", box.x, box.y,
                box.width, box.height);
    add_pen(canvas, pen);
}

void ar_canvas_line(struct ar_canvas *canvas, double x1, double y1, double x2, double y2,
                    const struct ar_pen *pen)
{
    ar_text_add(&canvas->body, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"", x1, y1, x2, y2);
    add_pen(canvas, pen);
}

void ar_canvas_arrow(struct ar_canvas *canvas, double x1, double y1, double x2, double y2, bool open,
                     const struct ar_pen *pen)
{
    double length = hypot(x2 - x1, y2 - y1), head = 4 + 3 * pen->width, half = head * 0.4;
    if (length == 0)
        return;
    double dx = (x2 - x1) / length, dy = (y2 - y1) / length;
    double x = x2 - dx * head, y = y2 - dy * head; /* where the head begins */
    ar_canvas_line(canvas, x1, y1, x, y, pen);
    ar_text_add(&canvas->body, "<polygon points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\"", x2, y2, x - dy * half,
                y + dx * half, x + dy * half, y - dx * half);
    add_pen(canvas, &(struct ar_pen){open ? "#ffffff" : pen->stroke, pen->stroke, pen->width * 0.8, NULL});
}

void ar_canvas_text(struct ar_canvas *canvas, double x, double y, const struct ar_lettering *lettering,
                    const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    ar_text_add(&canvas->body, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\"", x, y, lettering->size);
    if (lettering->anchor != AR_START)
        ar_text_add(&canvas->body, " text-anchor=\"%s\"", anchors[lettering->anchor]);
    if (lettering->bold)
        ar_text_add(&canvas->body, " font-weight=\"bold\"");
    ar_text_add(&canvas->body, " fill=\"%s\">", lettering->fill ? lettering->fill : "#000000");
    add_escaped(&canvas->body, text);
    ar_text_add(&canvas->body, "</text>\n");
}

double ar_canvas_text_width(const char *text, double size)
{
    return (double)ar_text_width(text) * GLYPH_EM * size;
}

void ar_canvas_end(struct ar_canvas *canvas, double width, double height, const char *title,
                   struct ar_text *svg)
{
    ar_text_add(svg,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                "viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" role=\"img\">\n<title>",
                width, height, width, height);
    add_escaped(svg, title);
    ar_text_add(svg, "</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n");
    if (canvas->body.length > 0)
        ar_text_add_bytes(svg, canvas->body.data, canvas->body.length);
    ar_text_add(svg, "</svg>\n");
    ar_text_free(&canvas->body);
}
