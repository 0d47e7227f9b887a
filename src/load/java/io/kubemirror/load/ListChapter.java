package io.kubemirror.load;

import module java.base;

/** Lists of 10,000 pods of 4.7 KB, and of parts of them. */
final class ListChapter {

    private static final String PODS = "/api/v1/pods?resourceVersion=0";

    private final LoadEnvironment loadEnvironment;
    private final int rounds;
    private final List<ResultRow> rows;

    ListChapter(LoadEnvironment loadEnvironment, int rounds, List<ResultRow> rows) {
        this.loadEnvironment = loadEnvironment;
        this.rounds = rounds;
        this.rows = rows;
    }

    void measure() {
        try (Sidecar sidecar =
                loadEnvironment.sidecar(List.of("@" + ImageContents.NODE, "-Xmx512m"), "pods")) {
            compare(sidecar, "list of 10,000 pods of 4.7 KB", PODS, 10, 8, true);
            compare(
                    sidecar,
                    "list of one namespace of 20",
                    "/api/v1/namespaces/pods-7/pods?resourceVersion=0",
                    100,
                    5,
                    false);
            compare(
                    sidecar,
                    "list of one label value of 200",
                    PODS + "&labelSelector=app%3Dapp-7",
                    100,
                    5,
                    false);
            compare(
                    sidecar,
                    "list of one node of 500",
                    PODS + "&fieldSelector=spec.nodeName%3Dnode-7",
                    100,
                    5,
                    false);
        }
    }

    private void compare(
            Sidecar sidecar, String what, String target, int times, int factor, boolean withCpu) {
        List<ListMeasurement> mirror = new ArrayList<>();
        List<ListMeasurement> api = new ArrayList<>();
        ListMeasurement.read(sidecar.side(), target, 3 * times);
        ListMeasurement.read(loadEnvironment.api(), target, times);
        for (int i = 0; i < rounds; i++) {
            mirror.add(ListMeasurement.read(sidecar.side(), target, times));
            api.add(ListMeasurement.read(loadEnvironment.api(), target, times));
        }
        add(what + ": time", factor, "%.2f ms", mirror, api, each -> each.time().toNanos() / 1e6);
        if (withCpu) {
            add("… CPU", factor, "%.0f ms", mirror, api, each -> each.cpu().toNanos() / 1e6);
        }
    }

    private void add(
            String what,
            int factor,
            String format,
            List<ListMeasurement> ofMirror,
            List<ListMeasurement> ofApi,
            ToDoubleFunction<ListMeasurement> figure) {
        double mirror = Medians.of(ofMirror, figure);
        double api = Medians.of(ofApi, figure);
        rows.add(
                new ResultRow(
                        what,
                        "at most 1/" + factor,
                        format.formatted(mirror),
                        format.formatted(api),
                        "1/%.1f".formatted(api / mirror),
                        Judged.atLeast(factor, Judged.ratios(ofApi, ofMirror, figure))));
    }
}
