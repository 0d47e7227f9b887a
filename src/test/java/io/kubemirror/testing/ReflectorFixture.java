package io.kubemirror.testing;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.reflector.Reflector;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorSettings.Strategy;

import org.awaitility.Awaitility;

import tools.jackson.databind.JsonNode;

/**
 * A mirror of one collection of an API server with the real adapter and the real reflector. The
 * test controls its waits: each lasts until the test ends it, or no time at all. Audits run on
 * request.
 */
public final class ReflectorFixture implements AutoCloseable {

    /** The maximum number of waits until a problem is reported. */
    private static final int LONGEST_WAY = 20;

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final UpstreamServer server;
    private final ReflectorFixturePlan plan;
    private final ExecutorService waker = Executors.newSingleThreadExecutor();
    private final Semaphore resting = new Semaphore(0);
    private final Semaphore permits = new Semaphore(0);
    private final Semaphore auditorResting = new Semaphore(0);
    private final Semaphore audits = new Semaphore(0);
    private final ConcurrentLinkedQueue<Duration> waits = new ConcurrentLinkedQueue<>();
    private final Mirror mirror;
    private final Reflector reflector;
    private final AtomicReference<Duration> waited = new AtomicReference<>(Duration.ZERO);
    private volatile boolean patient;

    private ReflectorFixture(UpstreamServer server, ReflectorFixturePlan plan) {
        this.server = server;
        this.plan = plan;
        this.mirror =
                new Mirror(plan.scope(), Mirrors.window(), Mirrors.READS, waker, System::nanoTime);
        this.reflector =
                new Reflector(
                        plan.way().apply(server.connect()),
                        Mirrors.writer(mirror, System::nanoTime),
                        plan.settings(),
                        ReflectorEnvironments.alone(this::now, new Random(7), this::rest));
    }

    /** Starts to mirror a whole collection. */
    public static ReflectorFixture of(UpstreamServer server, ResourceType type, Strategy strategy) {
        return of(server, ReflectorFixturePlan.of(type).by(strategy));
    }

    /** Starts to mirror a part of a collection. */
    public static ReflectorFixture of(
            UpstreamServer server, ResourceType type, Strategy strategy, Selection selection) {
        return of(server, ReflectorFixturePlan.of(type).by(strategy).only(selection));
    }

    /** Starts to mirror what is planned. */
    public static ReflectorFixture of(UpstreamServer server, ReflectorFixturePlan plan) {
        ReflectorFixture fixture = new ReflectorFixture(server, plan);
        fixture.reflector.start();
        return fixture;
    }

    /** What is mirrored. */
    public Mirror mirror() {
        return mirror;
    }

    /** How often something has happened. */
    public long count(Counter counter) {
        return reflector.counts().get(counter);
    }

    /** How long the reflector wanted to wait, in order. */
    public List<Duration> waits() {
        return List.copyOf(waits);
    }

    /** Waits for the first synchronization. */
    public ReflectorFixture synced() {
        return reached("1");
    }

    /** Waits until the mirror has the change that the server has received. */
    public ReflectorFixture caughtUpWith(JsonNode object) {
        return reached(object.at("/metadata/resourceVersion").asString());
    }

    private ReflectorFixture reached(String revision) {
        assertThat(Unchecked.<Boolean>call(() -> mirror.await(new Revision(revision), LIMIT)))
                .as("at %s within a minute", revision)
                .isTrue();
        return this;
    }

    /** From now on each wait lasts until {@link #releaseWaits}. */
    public void holdWaits() {
        patient = true;
    }

    /** Returns when the reflector waits. */
    public void awaitRest() {
        await(resting);
    }

    private static void await(Semaphore rest) {
        Unchecked.run(
                () ->
                        assertThat(rest.tryAcquire(LIMIT.toSeconds(), TimeUnit.SECONDS))
                                .as("it rests within a minute")
                                .isTrue());
    }

    /**
     * Compares the mirror with the server once; returns when that is done (list-watch.md#ca-6). An
     * audit between two watches compares nothing, and is repeated.
     */
    public void audit() {
        long before = audited();
        do {
            WaitLimit.until(() -> mirror().upstream().phase() == Phase.WATCHING);
            await(auditorResting);
            audits.release();
            await(auditorResting);
            auditorResting.release();
        } while (audited() == before);
    }

    private long audited() {
        return Stream.of(Counter.values())
                .filter(counter -> counter.name().startsWith("AUDITS_"))
                .mapToLong(this::count)
                .sum();
    }

    /** Ends the present wait alone, and returns when the reflector waits again. */
    public void releaseWait() {
        permits.release();
        awaitRest();
    }

    /** Ends wait after wait until the reflector waits in a phase. */
    public void restUntil(Phase phase) {
        awaitRest();
        while (mirror.upstream().phase() != phase) {
            releaseWait();
        }
    }

    /**
     * Ends one wait after another until the reflector waits and has reported a matching problem.
     */
    public void pauseUntilReported(String part) {
        for (int i = 0; i < LONGEST_WAY && !mirror.upstream().problem().contains(part); i++) {
            releaseWait();
        }
        assertThat(mirror.upstream().problem()).contains(part);
    }

    /** Ends the present wait and all to come. */
    public void releaseWaits() {
        patient = false;
        permits.release();
    }

    /** The clock advances in real time, and by the duration of each wait, which takes no time. */
    private Instant now() {
        return Instant.now().plus(waited.get());
    }

    private void rest(Duration wanted) throws InterruptedException {
        if (wanted.compareTo(ReflectorFixturePlan.AUDIT_INTERVAL) >= 0) {
            auditorResting.release();
            audits.acquire();
            return;
        }
        waits.add(wanted);
        if (plan.inRealTime()) {
            var _ = permits.tryAcquire(wanted.toNanos(), TimeUnit.NANOSECONDS);
            return;
        }
        waited.updateAndGet(wanted::plus);
        if (patient) {
            resting.release();
            permits.acquire();
        }
    }

    /**
     * The revisions of all objects that should be mirrored, by path, as the server lists them now.
     */
    public Map<String, String> truth() {
        return truth(plan.type());
    }

    /** The same, for a type that has replaced the planned one. */
    public Map<String, String> truth(ResourceType type) {
        Map<String, String> truth = new TreeMap<>();
        for (JsonNode item : server.list(type).path("items")) {
            if (isSelected(item)) {
                truth.put(JsonTrees.key(item), Long.toString(JsonTrees.revision(item)));
            }
        }
        return truth;
    }

    private boolean isSelected(JsonNode item) {
        Selection selection = plan.scope().selection();
        Map<String, String> labels = new HashMap<>();
        item.at("/metadata/labels").forEachEntry((key, value) -> labels.put(key, value.asString()));
        return selection.labels().matches(labels)
                && (selection.namespace().isEmpty()
                        || selection.namespace().equals(JsonTrees.namespace(item)));
    }

    /** Waits until the mirror holds exactly the given revisions of objects. */
    public void awaitConsistency(Supplier<Map<String, String>> truth) {
        Awaitility.await()
                .atMost(LIMIT)
                .untilAsserted(() -> assertThat(held()).isEqualTo(truth.get()));
    }

    /** The revisions of all objects in the mirror, by path; empty before it is synchronized. */
    public Map<String, String> held() {
        Map<String, String> held = new TreeMap<>();
        mirror.snapshot().stream()
                .flatMap(state -> state.objects().stream())
                .forEach(object -> held.put(object.key().path(), object.revision().digits()));
        return held;
    }

    /** Stops the reflector. All counters are final afterward. */
    public void stop() {
        patient = false;
        reflector.stop();
        Reflector.awaitEnd(List.of(reflector));
        waker.shutdownNow();
    }

    @Override
    public void close() {
        stop();
    }

    /** A selection of one namespace. */
    public static Selection namespace(String name) {
        return new Selection(name, LabelSelector.everything(), FieldSelector.everything());
    }
}
