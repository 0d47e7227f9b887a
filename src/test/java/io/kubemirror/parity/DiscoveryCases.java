package io.kubemirror.parity;

import static io.kubemirror.parity.CaseSection.getting;
import static io.kubemirror.parity.CaseSection.sending;

import java.util.List;

/** Discovery, version and health (list-watch.md#discovery). */
final class DiscoveryCases {

    private static final String AGGREGATED =
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

    private DiscoveryCases() {}

    static List<CaseSection> sections() {
        CaseSection section = new CaseSection("Discovery");
        section.get("DI-1", "/api");
        section.add(mirrored("DI-2", "/apis"));
        section.get("DI-3", "/apis/example.com", "/apis/apps", "/apis/batch");
        section.get("DI-3", "/apis/coordination.k8s.io", "/apis/none.example.com");
        for (String version :
                List.of(
                        "/api/v1",
                        "/apis/apps/v1",
                        "/apis/batch/v1",
                        "/apis/coordination.k8s.io/v1",
                        "/apis/example.com/v1")) {
            section.add(mirrored("DI-4", version));
        }
        for (String target : List.of("/api", "/apis")) {
            section.add(mirrored("DI-6", target).accepting(AGGREGATED + ",application/json"));
            section.add(mirrored("DI-8", target).accepting(AGGREGATED));
            section.add(mirrored("DI-9", target).accepting(AGGREGATED + ";profile=nopeer"));
            String old = AGGREGATED.replace("v=v2", "v=v2beta1");
            section.add(mirrored("DI-9", target).accepting(old + "," + AGGREGATED));
            section.add(
                    getting("DI-9", target)
                            .accepting(old)
                            .but(IntendedDifferences.offered(target)));
        }
        section.add(
                getting("DI-9", "/api")
                        .accepting(AGGREGATED.replace("v2", "v2beta1") + ",application/json"));
        section.get("DI-11", "/api?timeout=32s", "/apis/example.com?timeout=0", "/apis?timeout=x");
        section.get("DI-12", "/version", "/version?timeout=32s");
        section.get("DI-14", "/healthz", "/livez", "/readyz", "/livez/nothing", "/healthzz");
        section.add(sending("DI-14", "POST", "/livez"));
        section.get("DI-14", "/%6civez", "/livez;", "/readyz;x", "/healthz;a=b", "/livez;/");
        section.add(
                getting("DI-13", "/openapi/v2")
                        .but(
                                new Difference.AnsweredLike(
                                        "OpenAPI documents are not served; get, list and watch"
                                                + " need none",
                                        RawRequest.get("/nowhere"))));
        return List.of(section);
    }

    private static ParityCase mirrored(String row, String target) {
        return getting(row, target).but(DiscoveryProjection.difference());
    }
}
