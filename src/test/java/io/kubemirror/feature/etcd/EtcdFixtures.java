package io.kubemirror.feature.etcd;

import io.kubemirror.feature.etcd.EtcdClient.EtcdSettings;
import io.kubemirror.feature.etcd.GrpcCall.ProtobufWriter;
import io.kubemirror.kube.ClientSettings;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.PeriodicThread.Sleeper;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.ResourceCollection.ObjectShape;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchStream.UpstreamWatch;
import io.kubemirror.testing.WatchRequests;
import io.kubemirror.testing.scripted.ServedTypes;

import okio.ByteString;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** Requests, settings, and messages for the tests of this package. */
final class EtcdFixtures {

    static final StoredCollection WIDGETS =
            new StoredCollection(ServedTypes.WIDGETS, "/registry/example.com/widgets/");

    static final long CLUSTER = 7;

    private EtcdFixtures() {}

    static EtcdSettings settings(MemoryBudget incoming, int limit, String... endpoints) {
        return settings(incoming, limit, System::nanoTime, Thread::sleep, endpoints);
    }

    /** Settings with a clock in nanoseconds and a sleeper. */
    static EtcdSettings settings(LongSupplier nanos, Sleeper sleeper, String endpoint) {
        return settings(MemoryBudget.unlimited(), 1 << 20, nanos, sleeper, endpoint);
    }

    private static EtcdSettings settings(
            MemoryBudget incoming,
            int limit,
            LongSupplier nanos,
            Sleeper sleeper,
            String... endpoints) {
        return new EtcdSettings(
                List.of(endpoints),
                null,
                () -> "",
                null,
                List.of(WIDGETS),
                new ClientSettings(
                        "test",
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(30),
                        Duration.ZERO,
                        limit,
                        incoming),
                nanos,
                sleeper);
    }

    static EtcdClient client(String... endpoints) {
        return EtcdClient.connect(settings(MemoryBudget.unlimited(), 1 << 20, endpoints));
    }

    static EtcdClient client(String user, EtcdSettings.PasswordSource password, String endpoint) {
        EtcdSettings plain = settings(MemoryBudget.unlimited(), 1 << 20, endpoint);
        return EtcdClient.connect(
                new EtcdSettings(
                        plain.endpoints(),
                        user,
                        password,
                        null,
                        plain.collections(),
                        plain.limits(),
                        plain.ticker(),
                        plain.sleeper()));
    }

    static ResourceCollection widgets() {
        return widgets(Selection.everything());
    }

    static ResourceCollection widgets(Selection selection) {
        return new ResourceCollection(ServedTypes.WIDGETS, selection, ObjectShape.plain());
    }

    static Selection namespace(String name) {
        return new Selection(name, LabelSelector.everything(), FieldSelector.everything());
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

    static UpstreamWatch open(Source api, WatchRequest request) {
        return success(api.watch(request));
    }

    static <T> T success(Result<T> result) {
        if (result instanceof Result.Success(T value)) {
            return value;
        }
        throw new AssertionError(result);
    }

    /** The paths of the objects of a page, added to a list. */
    static ListMeta page(Source api, ListRequest request, List<String> paths) {
        return success(api.list(request, object -> paths.add(object.key().path())));
    }

    static List<KubeObject> objects(Source api, ListRequest request) {
        List<KubeObject> objects = new ArrayList<>();
        success(api.list(request, objects::add));
        return objects;
    }

    static ProtobufWriter header(long revision) {
        return header(CLUSTER, revision);
    }

    static ProtobufWriter header(long cluster, long revision) {
        return new ProtobufWriter()
                .message(1, new ProtobufWriter().number(1, cluster).number(3, revision));
    }

    static ProtobufWriter created(long revision) {
        return header(revision).flag(3);
    }

    static ProtobufWriter entry(String name, long created, long modified, String json) {
        return new ProtobufWriter()
                .text(1, WIDGETS.prefix() + name)
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
