package io.kubemirror.testing.scripted;

import module java.base;

import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.model.ResourceType;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.LoopbackServer;
import io.kubemirror.testing.Manifest;
import io.kubemirror.testing.Manifests;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.real.ServerPorts;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;

/**
 * A Kubernetes API server in this process: real list and watch semantics over objects in memory,
 * and every fault on command.
 *
 * <p>It is scripted, not timed: bookmarks, ends of watches, expiry and all faults come when a test
 * says so. What it holds can be asked without HTTP ({@link #objects}, {@link #history}), which
 * makes it the oracle of tests on recorded histories. All methods may be called from any thread; a
 * method that changes something returns when every open watch has the change in its queue.
 *
 * <pre>{@code
 * try (ScriptedApiServer server = ScriptedApiServer.create()) {
 *     server.create(pod("a", "x").label("app", "v"));
 *     server.fault(onWatch(PODS), respond(status(410, "Expired", "too old")));
 *     ...
 *     server.requests().next(onWatch(PODS));
 * }
 * }</pre>
 *
 * <p>The time is fixed, and watches last until a test ends them. Not served: Tables, protobuf,
 * pretty printing, authentication (but reviews of it); of selectors the comparisons.
 */
public final class ScriptedApiServer implements ApiServer {

    /** How long a request waits for a revision of the future (list-watch.md#li-20). */
    static final Duration PATIENCE = Duration.ofMillis(100);

    private final ResourceStore store = new ResourceStore();
    private final RequestLog requests = new RequestLog();
    private final List<ArmedFault> faults = new CopyOnWriteArrayList<>();
    private final int port = ServerPorts.one();
    private @Nullable LoopbackServer listener;
    private final ListHandler lists = new ListHandler(store);
    private final WatchHandler watches = new WatchHandler(store);
    private final ObjectHandler objects = new ObjectHandler(store);
    private final DiscoveryHandler discovery = new DiscoveryHandler(store);
    private final ReviewHandler reviews = new ReviewHandler();
    private volatile String version = "v1.36.4-scripted";

    private ScriptedApiServer() {}

    /** Starts a server with the {@link ServedTypes} on a free port of loopback. */
    public static ScriptedApiServer create() {
        ScriptedApiServer server = new ScriptedApiServer();
        ServedTypes.all().forEach(server::define);
        server.start();
        return server;
    }

    @Override
    public URI url() {
        return URI.create("http://127.0.0.1:" + port);
    }

    @Override
    public RestClient client() {
        return RestClient.of(url());
    }

    // What it holds

    @Override
    public ObjectNode create(Manifest manifest) {
        return store.create(manifest.type(), manifest.json());
    }

    @Override
    public ObjectNode replace(Manifest manifest) {
        return store.update(manifest.type(), manifest.json());
    }

    @Override
    public ObjectNode patch(ResourceType type, String namespace, String name, String mergePatch) {
        return store.patch(type, JsonTrees.key(namespace, name), JsonTrees.parse(mergePatch));
    }

    @Override
    public ObjectNode patchStatus(
            ResourceType type, String namespace, String name, String mergePatch) {
        return patch(type, namespace, name, mergePatch);
    }

    /** Sets one label of an object and returns it as stored. */
    public ObjectNode label(
            ResourceType type, String namespace, String name, String key, String value) {
        ObjectNode patch = JsonTrees.object();
        patch.putObject("metadata").putObject("labels").put(key, value);
        return store.patch(type, JsonTrees.key(namespace, name), patch);
    }

    @Override
    public void delete(ResourceType type, String namespace, String name) {
        store.delete(type, JsonTrees.key(namespace, name));
    }

    @Override
    public ObjectNode list(ResourceType type) {
        ReceivedRequest request = ReceivedRequest.of("GET", type.collectionPath(), Map.of(), "");
        return lists.list(request, type, ScriptedListOptions.of(request, type));
    }

    @Override
    public void define(ResourceType type) {
        store.serve(type);
    }

    @Override
    public void withdraw(ResourceType type) {
        store.withdraw(type);
    }

    @Override
    public void serveInstead(ResourceType before, ResourceType after) {
        store.serveInstead(before, after);
    }

    @Override
    public void ensureNamespace(String name) {
        store.changing(
                () ->
                        store.series(ServedTypes.NAMESPACES).find(name) == null
                                ? create(Manifests.namespace(name))
                                : JsonTrees.object());
    }

    @Override
    public long revision() {
        return store.revision();
    }

    /** Increments the revision by one, as a change of another type would. */
    public long advance() {
        advanceTo(revision() + 1);
        return revision();
    }

    /** Counts the revision up to a value; lower ones do nothing. */
    public void advanceTo(long revision) {
        store.advanceTo(revision);
    }

    /**
     * Changes how the objects of a type look at their revisions, as another definition does, and
     * ends its watches. They can be resumed.
     */
    public void reshape(ResourceType type, UnaryOperator<ObjectNode> look) {
        store.reshape(type, look);
    }

    /** Sets the version of the server. */
    public void version(String gitVersion) {
        version = gitVersion;
    }

    /** The objects of a type now, in key order. */
    public List<ObjectNode> objects(ResourceType type) {
        return store.locked(() -> List.copyOf(store.series(type).content().values()));
    }

    /** Every change of a type since the server began, compacted or not. */
    public List<StoredEvent> history(ResourceType type) {
        return store.locked(() -> List.copyOf(store.series(type).history()));
    }

    // Its life

    @Override
    public synchronized void start() {
        listener = new LoopbackServer(port, client -> new HttpConnection(client).run(this::handle));
    }

    @Override
    public synchronized void stop() {
        dropWatches();
        if (listener != null) {
            listener.close();
            listener = null;
        }
    }

    @Override
    public void restart() {
        store.forgetEvents();
        disconnect();
    }

    /** Forgets the past: older watches get 410 in-stream, older tokens and exact lists 410. */
    public void compact() {
        store.compact();
    }

    /** Forgets older tokens and exact lists, but no event: a watch can still start from them. */
    public void expireTokens() {
        store.expireTokens();
    }

    /** Restarts with the content and the revision of an earlier moment (list-watch.md#re-12). */
    public void restore(long revision) {
        store.rewind(revision);
        disconnect();
    }

    @Override
    public void wipe() {
        stop();
        store.rewind(1);
        start();
    }

    private synchronized void disconnect() {
        dropWatches();
        if (listener != null) {
            listener.cut();
        }
    }

    private void dropWatches() {
        store.changing(
                () -> {
                    store.allSeries().forEach(series -> series.watches().clear());
                    return true;
                });
    }

    @Override
    public void close() {
        stop();
    }

    // Its watches

    /** The open watches of a type, oldest first. */
    public List<OpenWatch> watches(ResourceType type) {
        return store.locked(() -> List.copyOf(store.series(type).watches()));
    }

    /**
     * Waits until a type has so many open watches, and returns them.
     *
     * @throws AssertionError if it does not come to that
     */
    public List<OpenWatch> awaitWatches(ResourceType type, int count) {
        if (!store.await(() -> watches(type).size() == count, WaitLimit.GENEROUS)) {
            throw new AssertionError(
                    "%d watches of %s were expected, %d are open"
                            .formatted(count, type.plural(), watches(type).size()));
        }
        return watches(type);
    }

    /** Waits for the one open watch of a type. */
    public OpenWatch awaitWatch(ResourceType type) {
        return awaitWatches(type, 1).getFirst();
    }

    /** Sends a bookmark at the present revision on all watches of a type that take them. */
    public void bookmark(ResourceType type) {
        store.changing(
                () -> {
                    store.series(type).watches().forEach(watch -> watch.bookmark(revision()));
                    return true;
                });
    }

    // Its users

    /** From now on this is a token of a user, meant for the server itself. */
    public void knowToken(String token, String user, String... groups) {
        reviews.know(token, user, List.of(groups));
    }

    /** Revokes a token. */
    public void forgetToken(String token) {
        reviews.forget(token);
    }

    /** From now on tokens are meant for these audiences, if anybody asks. */
    public void meanTokensFor(String... audiences) {
        reviews.meanFor(List.of(audiences));
    }

    /**
     * From now on a user may do what a text such as {@code list pods default}, {@code get pods
     * default/x} or {@code get /version} names, beside what they might before.
     */
    public void permit(String user, String... operations) {
        reviews.permit(user, List.of(operations));
    }

    /** From now on a user may do nothing. */
    public void forbid(String user) {
        reviews.forbid(user);
    }

    // Its faults

    /** What has been asked. */
    public RequestLog requests() {
        return requests;
    }

    /** Treats the next matching request badly. */
    public ArmedFault fault(Predicate<ReceivedRequest> when, ServerFault fault) {
        return fault(when, fault, 1);
    }

    /** Treats a number of matching requests badly. */
    public ArmedFault fault(Predicate<ReceivedRequest> when, ServerFault fault, int times) {
        ArmedFault armed = new ArmedFault(when, fault, times);
        faults.add(armed);
        return armed;
    }

    /** Treats all matching requests badly until the fault is withdrawn. */
    public ArmedFault faultUntilWithdrawn(Predicate<ReceivedRequest> when, ServerFault fault) {
        return fault(when, fault, Integer.MAX_VALUE);
    }

    // Its answers

    private void handle(ReceivedRequest request, ScriptedResponse answer) throws IOException {
        requests.add(request);
        RequestFaults treatment = RequestFaults.of(request, faults);
        try {
            if (!treatment.settles(answer)) {
                serve(request, answer, treatment);
            }
        } catch (StatusException refusal) {
            answer.status(refusal.status());
        } catch (JacksonException e) {
            answer.status(StatusErrors.badRequest("the body is no JSON object"));
        }
    }

    private void serve(ReceivedRequest request, ScriptedResponse answer, RequestFaults treatment)
            throws IOException {
        if (reviews.answers(request, answer)) {
            return;
        }
        switch (request.verb()) {
            case DISCOVERY -> discovery.discover(request, answer);
            case OTHER -> other(request, answer);
            case LIST, WATCH, GET, WRITE -> resource(request, answer, treatment);
        }
    }

    private void resource(ReceivedRequest request, ScriptedResponse answer, RequestFaults treatment)
            throws IOException {
        ResourceType type = store.find(request);
        if (type == null) {
            unknownType(request, answer);
            return;
        }
        switch (request.verb()) {
            case LIST -> {
                ScriptedListOptions options = ScriptedListOptions.of(request, type);
                RequestedForm form = RequestedForm.of(request);
                ObjectNode list = form.list(lists.list(request, type, options));
                answer.large(request, treatment.alter(list));
            }
            case WATCH -> {
                ScriptedListOptions options = ScriptedListOptions.of(request, type);
                watches.watch(request, type, options, answer, treatment.steps());
            }
            case GET -> objects.get(request, type, answer);
            case WRITE -> objects.write(request, type, answer);
            case DISCOVERY, OTHER -> throw StatusException.noRoute();
        }
    }

    /**
     * Unknown custom resources are not worth a Status (list-watch.md#errors), unknown built-in ones
     * are.
     */
    private static void unknownType(ReceivedRequest request, ScriptedResponse answer)
            throws IOException {
        String group = request.route().resource().group();
        if (group.contains(".") && !group.endsWith(".k8s.io")) {
            notFound(answer);
        } else {
            throw StatusException.noRoute();
        }
    }

    private static void notFound(ScriptedResponse answer) throws IOException {
        answer.header("X-Content-Type-Options", "nosniff")
                .send(404, "text/plain; charset=utf-8", "404 page not found\n");
    }

    private void other(ReceivedRequest request, ScriptedResponse answer) throws IOException {
        switch (request.path()) {
            case "/version" ->
                    answer.json(
                            200,
                            JsonTrees.object()
                                    .put("major", "1")
                                    .put("minor", "36")
                                    .put("gitVersion", version));
            case "/healthz", "/livez", "/readyz" -> answer.send(200, "text/plain", "ok");
            case String _ -> notFound(answer);
        }
    }
}
