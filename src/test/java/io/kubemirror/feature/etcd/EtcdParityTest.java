package io.kubemirror.feature.etcd;

import static io.kubemirror.testing.Manifests.widget;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceType;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchStream;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.real.RealApiServer;
import io.kubemirror.testing.real.ServerBinaries;
import io.kubemirror.testing.real.WithEtcd;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

/**
 * Reads the custom resources of an API server that stores JSON both ways, through the API and from
 * its etcd.
 */
@WithEtcd
class EtcdParityTest {

    private static final ResourceType TYPE = ServedTypes.WIDGETS;

    @AutoClose private static RealApiServer server;
    private static EtcdClient etcd;
    private static Source kube;

    @BeforeAll
    static void start() {
        server =
                RealApiServer.start(
                        ServerBinaries.find().orElseThrow(),
                        List.of("--storage-media-type=application/json"));
        server.define(TYPE);
        server.ensureNamespace("a");
        kube = server.connect();
        etcd = EtcdFixtures.client(server.etcd());
    }

    @Test
    void lists_have_the_same_objects_at_the_same_revisions() {
        server.create(widget("a", "listed", 3).label("l", "v").annotation("note", "\u00fc"));
        server.create(widget("a", "other", 4));
        ListRequest everything = new ListRequest(EtcdFixtures.widgets(), null, 0, null);

        assertThat(documents(etcd, everything)).isNotEmpty().isEqualTo(documents(kube, everything));
    }

    /** The documents by key. The metadata begins with the revision here, so trees are compared. */
    private static Map<String, JsonNode> documents(Source api, ListRequest request) {
        Map<String, JsonNode> documents = new TreeMap<>();
        EtcdFixtures.objects(api, request)
                .forEach(object -> documents.put(object.key().path(), tree(object)));
        return documents;
    }

    private static JsonNode tree(KubeObject object) {
        return JsonTrees.parse(new String(object.json(), StandardCharsets.UTF_8));
    }

    @Test
    void watches_have_the_same_events() {
        long start = server.revision();
        server.create(widget("a", "x", 1));
        server.replace(widget("a", "x", 2).label("l", "v"));
        server.create(widget("a", "y", 1));
        server.delete(TYPE, "a", "x");
        server.create(widget("a", "last", 1));

        assertThat(events(etcd, start)).hasSize(5).isEqualTo(events(kube, start));
    }

    private static List<String> events(Source api, long start) {
        List<String> events = new ArrayList<>();
        try (WatchStream watch =
                EtcdFixtures.open(api, EtcdFixtures.watch(EtcdFixtures.widgets(), start))) {
            while (events.isEmpty() || !events.getLast().contains("a/last")) {
                if (watch.next() instanceof WatchFrame.ObjectEvent event) {
                    events.add(
                            event.getClass().getSimpleName()
                                    + " "
                                    + event.object()
                                    + " "
                                    + new TreeMap<>(event.object().labels())
                                    + " "
                                    + tree(event.object()).path("spec"));
                }
            }
        }
        return events;
    }
}
