package io.kubemirror.pairs;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.kube.TestCertificates;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ResourceType;
import io.kubemirror.pairs.Door.Answer;
import io.kubemirror.pairs.Follower.StreamFollower;
import io.kubemirror.pairs.Follower.WatchFollower;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.LoopbackServer;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.scripted.ServedTypes;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;

import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Response;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.awaitility.core.ThrowingRunnable;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.servlet.handler.MappedInterceptor;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Runs one row: the application, its clients, what happens to them, and the checks. */
final class RowRun implements AutoCloseable {

    private static final String FUTURE = "99999999";

    /** How many requests are aborted in each way. */
    private static final int ABORTED = 5;

    /** Further threads of the test and of libraries that live as long as the JVM. */
    private static final String SHARED =
            "OkHttp.*|Okio.*|ForkJoinPool.*|Cleaner.*|process"
                    + " reaper.*|Keep-Alive.*|.*idle-timeout.*"
                    + "|MasterPoller|Read-Poller|Write-Poller|VirtualThread.*|awaitility.*|junit.*";

    /** The gauges that say who holds the memory of clients. */
    private static final Pattern HOLDERS =
            Pattern.compile(
                    "kubemirror[.](connections[.]open|writes[.]pending|watch[.](open|queue).*)");

    private final Row row;
    private final Random random;
    private final Path directory;
    private final PairedServer server;
    private final HiddenValues hidden;
    private final Settings settings;
    private final List<String> namespaces;
    private final ServerFront front;
    private final LoopbackServer etcd;
    private final LogRecorder log = new LogRecorder();
    private final Set<Thread> threadsBefore = Thread.getAllStackTraces().keySet();
    private final Map<String, Throwable> failures = new LinkedHashMap<>();
    private final ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Door> doors = new ArrayList<>();
    private final List<Follower> followers = new ArrayList<>();
    private final Set<String> existing = new HashSet<>();
    private StalledRequests stalled = new StalledRequests();
    private @Nullable ConfigurableApplicationContext application;

    RowRun(Row row, int number, long seed, PairedServer server, Path directory) throws Exception {
        this.row = row;
        this.random = new Random(seed + number);
        this.server = server;
        this.directory = directory;
        hidden = new HiddenValues(row, number);
        namespaces = PairedServer.NAMESPACES;
        front = server.front(directory);
        etcd = server.etcd(front.events());
        String url = "http://127.0.0.1:" + etcd.port();
        settings = new Settings(row, directory, namespaces, url);
        writeFiles();
        namespaces.forEach(server::ensureNamespace);
        for (String namespace : namespaces) {
            for (ResourceType type : PairedTypes.ALL) {
                create(type, namespace, "seed");
            }
        }
    }

    private void writeFiles() throws Exception {
        TestCertificates own = TestCertificates.of("kubemirror", "127.0.0.1");
        Files.writeString(directory.resolve("own.crt"), own.certificatePem());
        Files.writeString(directory.resolve("own.key"), own.keyPem());
        settings.write();
    }

    /** Runs the row, and returns what failed by the names of the checks. */
    Map<String, Throwable> run() {
        check("identity: requests while the types are discovered", this::startWithStalledRequests);
        check("ready", this::awaitReady);
        if (!failures.containsKey("ready")) {
            startFollowers();
            List<Future<?>> early = readTheFuture();
            check("own writes", () -> write(10));
            check("fault", this::disturb);
            early.forEach(one -> check("reads of the future", one::get));
            check("restart", this::restart);
            check("own writes later", () -> write(6));
            check("mirror equals server", this::compare);
            check("watches miss nothing", this::compareFollowers);
            check("identities", this::identify);
            check("dry run", this::deleteDry);
            check("doors", this::readAllDoors);
            check("management", this::readManagement);
            check("aborted requests", this::abort);
        }
        check("clients leave", this::clientsLeave);
        check("memory of clients", this::checkMemory);
        closeApplication();
        check("no request is left", () -> WaitLimit.until(() -> front.open() == 0));
        check("no thread is left", this::awaitThreads);
        check("files", this::readFiles);
        check("log", () -> log.check(hidden));
        check("hidden values", () -> assertThat(hidden.shown()).isEmpty());
        return failures;
    }

    /** A check. */
    @FunctionalInterface
    private interface Check {
        void run() throws Exception;
    }

    private void check(String name, Check check) {
        try {
            check.run();
        } catch (Exception | AssertionError failed) {
            failures.put(name, failed);
        }
    }

    private static void soon(ThrowingRunnable check) {
        Awaitility.await()
                .atMost(WaitLimit.GENEROUS)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .pollInSameThread()
                .untilAsserted(check);
    }

    // Life

    /** Clients that nobody knows ask while the types of the mirrors are not known yet. */
    private void startWithStalledRequests() throws Exception {
        front.requests().close();
        startApplication();
        List<Future<Answer>> answers =
                PairedTypes.ALL.stream()
                        .map(type -> type.collectionPath(namespaces.getFirst()))
                        .map(target -> clients.submit(() -> stalledRead(target)))
                        .toList();
        try {
            WaitLimit.until(
                    () ->
                            stalled.arrived() + answers.stream().filter(Future::isDone).count()
                                            == answers.size()
                                    || row.is(Factor.ACCESS, "review"));
            front.requests().open();
            awaitReady();
        } finally {
            front.requests().open();
            stalled.gate().open();
        }
        for (Future<Answer> answer : answers) {
            if (!isOpenToAll()) {
                assertThat(answer.get().code()).as("%s", answer.get()).isNotEqualTo(200);
            }
        }
    }

    private Answer stalledRead(String target) throws IOException {
        return door().patiently("t-unknown", target, StalledRequests.HEADER, "true");
    }

    private boolean isOpenToAll() {
        return row.is(Factor.ACCESS, "open") && !row.is(Factor.PASS_THROUGH, "client");
    }

    private void startApplication() {
        stalled = new StalledRequests();
        application =
                ApplicationLauncher.with(MappedInterceptor.class, stalled.bean(), settings.lines());
        log.attach();
        openDoors();
    }

    private void openDoors() {
        String scheme = row.isSpecial(Factor.TLS) ? "https" : "http";
        doors.add(door(scheme, port("local.server.port")));
    }

    private int port(String name) {
        return application().getEnvironment().getRequiredProperty(name, Integer.class);
    }

    private Door door(String scheme, int port) {
        URI url = URI.create(scheme + "://127.0.0.1:" + port);
        return new Door(url, row.isSpecial(Factor.HTTP2), hidden);
    }

    private ConfigurableApplicationContext application() {
        return Objects.requireNonNull(application);
    }

    /** Nothing but caches is charged when the clients have left. */
    private void checkMemory() {
        soon(
                () -> {
                    assertThat(used()).as("charged by %s", gauges()).isZero();
                });
    }

    /** What is used of the memory of clients. */
    private long used() {
        return application().getBean("clientMemory", MemoryBudget.class).used();
    }

    /** What the application counts about its clients, for messages. */
    private Map<String, Double> gauges() {
        Map<String, Double> gauges = new TreeMap<>();
        for (Meter meter : application().getBean(MeterRegistry.class).getMeters()) {
            Meter.Id id = meter.getId();
            if (meter instanceof Gauge gauge
                    && gauge.value() > 0
                    && HOLDERS.matcher(id.getName()).matches()) {
                gauges.put(id.getName() + id.getTags(), gauge.value());
            }
        }
        return gauges;
    }

    /** A patch that sets a label to something else. */
    private String labeled(String name) {
        return "{\"metadata\":{\"labels\":{\"%s\":\"t%d\"}}}"
                .formatted(name, random.nextInt(1_000_000));
    }

    private Door door() {
        return doors.get(random.nextInt(doors.size()));
    }

    private void awaitReady() {
        for (String target : collections()) {
            soon(() -> expect(door(), Door.ADMIN, target, 200));
        }
    }

    /** The collections that are mirrored. */
    private List<String> collections() {
        return PairedTypes.ALL.stream().flatMap(type -> collections(type).stream()).toList();
    }

    private List<String> collections(ResourceType type) {
        return row.is(Factor.NAMESPACES, "each")
                ? namespaces.stream().map(type::collectionPath).toList()
                : List.of(type.collectionPath());
    }

    private void clientsLeave() {
        followers.forEach(Follower::close);
        followers.clear();
        doors.forEach(Door::close);
        doors.clear();
    }

    private void closeApplication() {
        if (application != null) {
            application.close();
            application = null;
        }
        log.close();
    }

    private void awaitThreads() {
        soon(
                () ->
                        assertThat(Thread.getAllStackTraces().keySet())
                                .filteredOn(thread -> !threadsBefore.contains(thread))
                                .extracting(Thread::getName)
                                .filteredOn(name -> !name.matches(SHARED))
                                .isEmpty());
    }

    // What clients do

    private void startFollowers() {
        boolean mayExpire =
                row.isSpecial(Factor.RESTART)
                        || row.is(Factor.FAULT, "expired")
                        // The API server may answer the list before the mirror begins.
                        || row.isSpecial(Factor.READS)
                        || row.isSpecial(Factor.DEMAND);
        for (ResourceType type : PairedTypes.ALL) {
            String prefix = PairedServer.resource(type) + " ";
            String target = collections(type).getFirst();
            followers.add(new WatchFollower(door(), Door.ADMIN, target, prefix, mayExpire));
        }
        if (row.isSpecial(Factor.STREAM)) {
            StringBuilder target = new StringBuilder("/kubemirror/v1/watch?timeoutSeconds=60");
            for (ResourceType type : PairedTypes.ALL) {
                target.append("&resource=").append(PairedServer.resource(type));
            }
            if (row.is(Factor.NAMESPACES, "each")) {
                target.append("&namespace=").append(namespaces.getFirst());
            }
            followers.add(new StreamFollower(door(), Door.ADMIN, target.toString()));
        }
        followers.forEach(Follower::start);
    }

    /** Reads that no mirror can answer for now. */
    private List<Future<?>> readTheFuture() {
        List<Future<?>> reads = new ArrayList<>();
        Door door = doors.getFirst();
        for (ResourceType type : PairedTypes.ALL) {
            for (String target : List.of(collections(type).getFirst(), path(type, 0, "seed"))) {
                for (String query : List.of("", "?resourceVersion=" + FUTURE)) {
                    reads.add(
                            start(
                                    () ->
                                            door.get(
                                                    target + query,
                                                    "Kubemirror-Min-Revision",
                                                    FUTURE)));
                }
            }
        }
        return reads;
    }

    private String path(ResourceType type, int namespace, String name) {
        return type.collectionPath(namespaces.get(namespace)) + "/" + name;
    }

    private void create(ResourceType type, String namespace, String name) {
        server.client().create(PairedTypes.object(type, namespace, name, hidden));
        existing.add(type.collectionPath(namespace) + "/" + name);
        if (type.equals(PairedTypes.VAULTS)) {
            // The status of a new object is discarded.
            JsonNode object = PairedTypes.object(type, namespace, name, hidden).json();
            String status = "{\"status\":" + object.path("status") + "}";
            String target = type.collectionPath(namespace) + "/" + name;
            server.client().write("PATCH", target + "/status", status);
            // Watches do not show a change of what is hidden, nor its revision.
            server.client().write("PATCH", target, "{\"metadata\":{\"labels\":{\"set\":\"yes\"}}}");
        }
    }

    /** Writes to the server, and through kubemirror, where the next read shows it. */
    private void write(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            ResourceType type = PairedTypes.ALL.get(random.nextInt(PairedTypes.ALL.size()));
            int namespace = random.nextInt(2);
            String name = "o" + random.nextInt(3);
            String target = path(type, namespace, name);
            if (!existing.contains(target)) {
                create(type, namespaces.get(namespace), name);
                continue;
            }
            boolean delete = random.nextInt(4) == 0;
            String method = delete ? "DELETE" : "PATCH";
            String body = delete ? null : labeled("step");
            if (row.isSpecial(Factor.PASS_THROUGH)) {
                writeThrough(method, target, body);
            } else {
                server.client().write(method, target, body);
            }
            if (delete) {
                existing.remove(target);
            }
        }
    }

    /** Brings a mirror to a recent revision, which a quiet one reaches within a minute. */
    private void touch(ResourceType type, int namespace) {
        server.client().write("PATCH", path(type, namespace, "seed"), labeled("touched"));
    }

    private void writeThrough(String method, String target, @Nullable String body)
            throws IOException {
        Answer written = door().write(method, target, "application/merge-patch+json", body);
        assertThat(written.code()).as("%s %s: %s", method, target, written).isEqualTo(200);
        Answer read = door().get(target);
        boolean maybeLate = row.is(Factor.FAULT, "late") || row.isSpecial(Factor.FAULT);
        if (maybeLate && (read.code() == 429 || read.code() == 504)) {
            return;
        }
        if (body == null) {
            assertThat(read.code()).as("%s after its deletion: %s", target, read).isEqualTo(404);
        } else {
            assertThat(read.code()).as("%s: %s", target, read).isEqualTo(200);
            assertThat(JsonTrees.revision(read.json()))
                    .as("revision of %s after a write", target)
                    .isGreaterThanOrEqualTo(JsonTrees.revision(written.json()));
        }
    }

    private void disturb() throws Exception {
        switch (row.choice(Factor.FAULT)) {
            case "cut" -> front.cutWatches();
            case "expired" -> front.expireWatches(PairedTypes.ALL.size());
            case "late" -> writeWhileLate();
            default -> {}
        }
        write(4);
    }

    private void writeWhileLate() throws Exception {
        front.events().close();
        try {
            List<Future<?>> writes = new ArrayList<>();
            for (ResourceType type : PairedTypes.ALL) {
                String target = path(type, 0, "seed");
                String body = "{\"metadata\":{\"labels\":{\"late\":\"yes\"}}}";
                if (row.isSpecial(Factor.PASS_THROUGH)) {
                    writes.add(clients.submit(() -> lateWrite(target, body)));
                } else {
                    server.client().write("PATCH", target, body);
                }
            }
            for (Future<?> write : writes) {
                write.get();
            }
        } finally {
            front.events().open();
        }
    }

    private Void lateWrite(String target, String body) throws IOException {
        writeThrough("PATCH", target, body);
        door().get(target.replaceFirst("/[^/]+$", ""));
        return null;
    }

    private void restart() throws IOException {
        if (!row.isSpecial(Factor.RESTART)) {
            return;
        }
        clientsLeave();
        closeApplication();
        startApplication();
        stalled.gate().open();
        awaitReady();
        startFollowers();
    }

    // What must hold

    private List<String> followed() {
        return row.is(Factor.NAMESPACES, "each") ? namespaces.subList(0, 1) : namespaces;
    }

    private void compareFollowers() {
        Map<String, String> truth = server.truth(followed());
        for (Follower follower : followers) {
            Map<String, String> expected = new LinkedHashMap<>(truth);
            if (follower instanceof WatchFollower watch) {
                expected.keySet().removeIf(key -> !key.startsWith(watch.prefix));
            }
            try {
                WaitLimit.until(() -> follower.equalsTo(expected));
            } catch (ConditionTimeoutException late) {
                throw new AssertionError(follower.copy() + ", expected " + expected, late);
            }
        }
    }

    private void compare() throws Exception {
        for (ResourceType type : PairedTypes.ALL) {
            for (String target : collections(type)) {
                touch(type, target.contains(namespaces.getFirst()) ? 0 : 1);
                Map<String, JsonNode> expected = items(server.client().read(target));
                soon(
                        () ->
                                assertThat(revisions(items(door().get(target).json())))
                                        .as(target)
                                        .isEqualTo(revisions(expected)));
                compareObjects(type, target, expected);
            }
        }
    }

    private void compareObjects(ResourceType type, String target, Map<String, JsonNode> expected)
            throws Exception {
        Map<String, JsonNode> listed = items(door().get(target).json());
        Map<String, JsonNode> halves = new LinkedHashMap<>();
        if (row.isSpecial(Factor.SHARDS)) {
            String middle = "'0x8000000000000000'";
            for (String range :
                    List.of("'0x0000000000000000'," + middle, middle + ",'0x10000000000000000'")) {
                String selector = "?shardSelector=shardRange(object.metadata.uid," + range + ")";
                Answer half = door().get(target + selector);
                assertThat(half.code()).as("%s", half).isEqualTo(200);
                halves.putAll(items(half.json()));
            }
            assertThat(revisions(halves)).as("shards of " + target).isEqualTo(revisions(expected));
        }
        List<Check> reads = new ArrayList<>();
        expected.forEach(
                (key, object) ->
                        reads.add(
                                () ->
                                        compareObject(
                                                type,
                                                Objects.requireNonNull(listed.get(key)),
                                                object)));
        atOnce(reads);
    }

    private void compareObject(ResourceType type, JsonNode listed, JsonNode object)
            throws IOException {
        String path =
                type.collectionPath(JsonTrees.namespace(object)) + "/" + JsonTrees.name(object);
        Answer got = door().get(path);
        assertThat(got.code()).as("%s: %s", path, got).isEqualTo(200);
        assertThat(JsonTrees.revision(got.json())).isEqualTo(JsonTrees.revision(object));
        if (hidden.isEmpty() && !hasOtherForm(type)) {
            assertThat(without(listed)).isEqualTo(without(object));
            assertThat(without(got.json())).isEqualTo(without(object));
        }
    }

    /** Documents in etcd are as they are stored. */
    private boolean hasOtherForm(ResourceType type) {
        return row.is(Factor.SOURCE, "etcd") && type.equals(PairedTypes.VAULTS);
    }

    private static JsonNode without(JsonNode object) {
        JsonNode copy = object.deepCopy();
        ((ObjectNode) copy).remove(List.of("kind", "apiVersion"));
        return copy;
    }

    private static Map<String, JsonNode> items(JsonNode list) {
        Map<String, JsonNode> items = new LinkedHashMap<>();
        list.path("items").forEach(item -> items.put(JsonTrees.key(item), item));
        return items;
    }

    private static Map<String, Long> revisions(Map<String, JsonNode> items) {
        Map<String, Long> revisions = new LinkedHashMap<>();
        items.forEach((key, item) -> revisions.put(key, JsonTrees.revision(item)));
        return revisions;
    }

    private void identify() throws Exception {
        List<Check> reads = new ArrayList<>();
        boolean all = isOpenToAll();
        boolean reviewed =
                row.is(Factor.ACCESS, "review")
                        || (row.is(Factor.ACCESS, "open") && row.is(Factor.PASS_THROUGH, "client"));
        for (ResourceType type : PairedTypes.ALL) {
            for (String target : List.of(collections(type).getFirst(), path(type, 0, "seed"))) {
                for (Door door : doors) {
                    reads.add(() -> expect(door, "", target, all ? 200 : 401));
                    reads.add(() -> expect(door, "t-unknown", target, all ? 200 : 401));
                    reads.add(() -> expect(door, "t-reader", target, 200));
                    if (reviewed) {
                        reads.add(() -> expect(door, "t-outsider", target, 403));
                    }
                    if (row.is(Factor.ACCESS, "review")) {
                        reads.add(
                                () ->
                                        expect(
                                                door,
                                                Door.LIMITED,
                                                target,
                                                target.contains("/namespaces/") ? 200 : 403));
                    }
                }
            }
        }
        atOnce(reads);
    }

    private Future<?> start(Check read) {
        return clients.submit(
                () -> {
                    read.run();
                    return null;
                });
    }

    private void atOnce(List<Check> reads) throws Exception {
        for (Future<?> read : reads.stream().map(this::start).toList()) {
            read.get();
        }
    }

    private static void expect(Door door, String token, String target, int code)
            throws IOException {
        Answer answer = door.as(token, target);
        assertThat(answer.code())
                .as("%s with the token '%s': %s", target, token, answer)
                .isEqualTo(code);
    }

    /** A body without a length must not be lost: the object would be deleted. */
    private void deleteDry() throws IOException {
        String target = path(ServedTypes.CONFIGMAPS, 0, "seed");
        String body = "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"dryRun\":[\"All\"]}";
        Answer answer = door().writeUnmeasured("DELETE", target, body);
        assertThat(answer.code())
                .as("%s", answer)
                .isEqualTo(row.isSpecial(Factor.PASS_THROUGH) ? 200 : 405);
        assertThat(server.client().get(target).code()).as("after a dry run").isEqualTo(200);
    }

    /** Reads by all ways that could show more than the policy of the resource. */
    private void readAllDoors() throws Exception {
        List<Check> reads = new ArrayList<>();
        for (ResourceType type : PairedTypes.ALL) {
            String collection = collections(type).getFirst();
            String object = path(type, 0, "seed");
            String member = PairedTypes.members(type).getFirst();
            String revision = "" + JsonTrees.revision(door().get(collection).json());
            for (String query :
                    List.of(
                            "",
                            "?resourceVersion=0",
                            "?limit=1",
                            "?resourceVersionMatch=Exact&resourceVersion=" + revision,
                            "?sortBy=" + member + ".dropped",
                            "?groupBy=" + member + ".dropped",
                            "?groupBy=metadata.annotations['example.com/other']",
                            "?count=only",
                            "?fieldSelector=metadata.name%3Dseed",
                            "?fieldSelector=" + member + ".other%3Dx",
                            "?labelSelector=app+in+(",
                            "?pretty=true")) {
                reads.add(() -> door().get(collection + query));
            }
            for (String accept :
                    List.of(
                            "application/json;as=Table;g=meta.k8s.io;v=v1",
                            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
                            "application/json",
                            "application/json;drop=metadata.managedFields",
                            "application/yaml",
                            "application/vnd.kubernetes.protobuf",
                            "text/html")) {
                reads.add(() -> door().get(collection, "Accept", accept));
                reads.add(() -> door().get(object, "Accept", accept));
                reads.add(() -> door().get(collection + "?includeObject=Object", "Accept", accept));
            }
            for (String further : List.of("/status", "/scale", "/none", "?resourceVersion=0")) {
                reads.add(() -> door().get(object + further));
            }
            reads.add(() -> door().get(object.replace("/v1/", "/v2/")));
            reads.add(() -> door().get(collection.replace("/v1/", "/v2/")));
            reads.add(() -> door().get(type.collectionPath()));
            reads.add(() -> door().get(object, "Kubemirror-Max-Age", "0"));
            reads.add(() -> door().get(object, "Impersonate-User", "admin"));
            reads.add(() -> door().get(object.replace("/api", "/api//")));
        }
        atOnce(reads);
    }

    private void readManagement() throws IOException {
        try (Door management =
                new Door(
                        URI.create("http://127.0.0.1:" + port("local.management.port")),
                        false,
                        hidden)) {
            for (String target :
                    List.of(
                            "/",
                            "/actuator",
                            "/actuator/health",
                            "/actuator/info",
                            "/actuator/mirrors",
                            "/actuator/prometheus",
                            "/actuator/loggers",
                            "/actuator/threaddump")) {
                management.get(target);
            }
        }
    }

    /** Clients leave in the middle of requests, while they wait, and in the middle of answers. */
    private void abort() throws IOException {
        String target = collections().getFirst();
        for (int i = 0; i < ABORTED; i++) {
            door().breakUpload(path(ServedTypes.CONFIGMAPS, 0, "seed"));
            Call watch = door().open(Door.ADMIN, target + "?watch=true&resourceVersion=0");
            try (Response response = watch.execute()) {
                assertThat(response.code()).isEqualTo(200);
                watch.cancel();
            }
        }
        for (int i = 0; i < ABORTED; i++) {
            Call call =
                    door().open(
                                    Door.ADMIN,
                                    target + "?limit=" + i,
                                    "Kubemirror-Min-Revision",
                                    FUTURE);
            call.enqueue(new Ignored());
            call.cancel();
        }
    }

    private void readFiles() throws IOException {
        if (!Files.exists(settings.store())) {
            return;
        }
        try (Stream<Path> files = Files.walk(settings.store())) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String text = Files.readString(file, StandardCharsets.ISO_8859_1);
                hidden.check("file " + file.getFileName(), text);
            }
        }
    }

    @Override
    public void close() throws IOException {
        clientsLeave();
        closeApplication();
        front.close();
        etcd.close();
        clients.shutdownNow();
        server.clear(namespaces);
    }

    /** Ignores an answer. */
    private static final class Ignored implements Callback {

        @Override
        public void onFailure(Call call, IOException e) {}

        @Override
        public void onResponse(Call call, Response response) {
            response.close();
        }
    }
}
