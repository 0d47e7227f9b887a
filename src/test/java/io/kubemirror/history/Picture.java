package io.kubemirror.history;

import module java.base;

/** Draws what happened around an illegal step: time from left to right, a row for each client. */
final class Picture {

    private static final int WIDTH = 1_600;
    private static final int LEFT = 90;
    private static final int ROW = 26;
    private static final int HEAD = 60;
    private static final long MARGIN = 1_500_000_000L;

    private final Violation violation;
    private final long from;
    private final long until;
    private final StringBuilder svg = new StringBuilder();

    private Picture(Violation violation) {
        this.violation = violation;
        from = Math.max(violation.operation().called(), violation.at() - 2 * MARGIN) - MARGIN;
        until = violation.at() + MARGIN;
    }

    /** The picture as SVG. */
    static String of(History history, Violation violation) {
        return new Picture(violation).draw(history);
    }

    private String draw(History history) {
        Map<String, List<Operation>> clients = new TreeMap<>();
        for (Operation operation : history.operations()) {
            boolean related =
                    operation.resource().equals(violation.operation().resource())
                            && operation.returned() >= from
                            && operation.called() <= until;
            if (related) {
                clients.computeIfAbsent(operation.client(), _ -> new ArrayList<>()).add(operation);
            }
        }
        int height = HEAD + ROW * (clients.size() + 2);
        svg.append(
                """
                <svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d"
                 font-family="sans-serif" font-size="10">
                <rect width="100%%" height="100%%" fill="white"/>
                <text x="8" y="18" font-size="14" fill="#b00">%s: %s</text>
                <text x="8" y="36">%s</text>
                """
                        .formatted(
                                WIDTH,
                                height,
                                escaped(violation.promise()),
                                escaped(violation.reason()),
                                escaped(violation.operation().brief())));
        stored(history.truth(violation.operation().resource()));
        int y = HEAD + ROW;
        for (Map.Entry<String, List<Operation>> client : clients.entrySet()) {
            label(client.getKey(), y);
            for (Operation operation : client.getValue()) {
                draw(operation, y);
            }
            y += ROW;
        }
        label("faults", y);
        for (Fault fault : history.faults()) {
            if (fault.until() >= from && fault.from() <= until) {
                box(fault.from(), fault.until(), y, "#fd8", fault.kind() + " " + fault.replica());
            }
        }
        return svg.append("</svg>\n").toString();
    }

    private void stored(Truth truth) {
        label("stored", HEAD);
        for (Version version : truth.changes()) {
            if (version.at() >= from && version.at() <= until) {
                box(version.at(), version.at(), HEAD, "#333", version.brief());
            }
        }
    }

    private void draw(Operation operation, int y) {
        boolean illegal = operation.id() == violation.operation().id();
        String color = illegal ? "#f66" : operation.isWrite() ? "#8c8" : "#9bd";
        String text = "#" + operation.id() + " " + operation.brief();
        box(operation.called(), operation.returned(), y, color, text);
        for (Frame frame : operation.answer().frames()) {
            if (frame.at() >= from && frame.at() <= until) {
                boolean step = illegal && frame.at() == violation.at();
                String title = frame.type() + " " + frame.object().brief();
                box(frame.at(), frame.at(), y, step ? "#b00" : "#357", title);
            }
        }
    }

    private void label(String text, int y) {
        svg.append("<text x=\"8\" y=\"%d\">%s</text>%n".formatted(y + 14, escaped(text)));
    }

    private void box(long start, long end, int y, String color, String title) {
        double x = x(Math.max(start, from));
        double width = Math.max(2, x(Math.min(end, until)) - x);
        svg.append(
                "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"><title>%s</title></rect>%n"
                        .formatted(x, y, width, ROW - 6, color, escaped(title)));
    }

    private double x(long time) {
        return LEFT + (WIDTH - LEFT - 10.0) * (time - from) / (until - from);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
