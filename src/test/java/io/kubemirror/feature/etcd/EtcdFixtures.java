package io.kubemirror.feature.etcd;

import module java.base;

import io.kubemirror.feature.etcd.EtcdClient.EtcdSettings;
import io.kubemirror.feature.etcd.GrpcCall.ProtobufWriter;
import io.kubemirror.kube.ClientSettings;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.ResourceCollection.ObjectShape;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchStream;
import io.kubemirror.testing.Results;
import io.kubemirror.testing.WatchRequests;
import io.kubemirror.testing.scripted.ServedTypes;

import okio.ByteString;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;

/** Requests, settings, and messages for the tests of this package. */
final class EtcdFixtures {

    static final StoredCollection WIDGETS =
            new StoredCollection(ServedTypes.WIDGETS, "/registry/example.com/widgets/");

    /** The types that tests store; config maps stand for all core types. */
    static final List<StoredCollection> STORED =
            List.of(
                    new StoredCollection(ServedTypes.CONFIGMAPS, "/registry/configmaps/"),
                    new StoredCollection(ServedTypes.NODES, "/registry/minions/"),
                    WIDGETS);

    private EtcdFixtures() {}

    static EtcdSettings settings(MemoryBudget incoming, int limit, String endpoint) {
        return settings(null, incoming, limit, endpoint);
    }

    private static EtcdSettings settings(
            @Nullable SslBundle tls, MemoryBudget incoming, int limit, String... endpoints) {
        Duration patience = Duration.ofSeconds(60);
        ClientSettings limits =
                new ClientSettings("test", Duration.ofSeconds(10), patience, limit, incoming);
        return new EtcdSettings(
                List.of(endpoints), tls, STORED, limits, System::nanoTime, Thread::sleep);
    }

    static EtcdClient client(String... endpoints) {
        return secured(null, endpoints);
    }

    /** A client that uses TLS. */
    static EtcdClient secured(@Nullable SslBundle tls, String... endpoints) {
        return new EtcdClient(settings(tls, MemoryBudget.unlimited(), 32 << 20, endpoints));
    }

    static ResourceCollection widgets() {
        return widgets(Selection.everything());
    }

    static ResourceCollection widgets(Selection selection) {
        return new ResourceCollection(ServedTypes.WIDGETS, selection, ObjectShape.plain());
    }

    static ListRequest list(int limit, @Nullable String token) {
        return new ListRequest(widgets(), null, limit, token);
    }

    static WatchRequest watch(ResourceCollection collection, long after) {
        return WatchRequests.withBookmarks(
                collection,
                new Revision(Long.toString(after)),
                false,
                Duration.ofMinutes(5),
                Duration.ofSeconds(30),
                Duration.ofSeconds(30));
    }

    static WatchStream open(Source api, WatchRequest request) {
        return Results.value(api.watch(request));
    }

    /** The paths of the objects of a page, added to a list. */
    static ListMeta page(Source api, ListRequest request, List<String> paths) {
        return Results.value(api.list(request, object -> paths.add(object.key().path())));
    }

    static List<KubeObject> objects(Source api, ListRequest request) {
        List<KubeObject> objects = new ArrayList<>();
        Results.value(api.list(request, objects::add));
        return objects;
    }

    static ProtobufWriter header(long revision) {
        return new ProtobufWriter().message(1, new ProtobufWriter().number(3, revision));
    }

    static ProtobufWriter created(long revision) {
        return header(revision).flag(3);
    }

    static ProtobufWriter entry(String name, long created, long modified, String json) {
        return new ProtobufWriter()
                .bytes(1, ByteString.encodeUtf8(WIDGETS.prefix() + name))
                .number(2, created)
                .number(3, modified)
                .number(4, 1)
                .bytes(5, ByteString.encodeUtf8(json));
    }

    static ProtobufWriter widget(String name, long created, long modified) {
        String[] path = name.split("/", -1);
        return entry(
                name,
                created,
                modified,
                """
                {"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"%s","namespace":"%s","uid":"u-%s"}}
                """
                        .formatted(path[1], path[0], path[1]));
    }

    static ProtobufWriter ranged(long revision, ProtobufWriter... entries) {
        ProtobufWriter range = header(revision);
        List.of(entries).forEach(entry -> range.message(2, entry));
        return range.number(4, entries.length);
    }

    static ProtobufWriter put(ProtobufWriter entry) {
        return new ProtobufWriter().message(2, entry);
    }
}
