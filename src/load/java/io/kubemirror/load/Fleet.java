package io.kubemirror.load;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;
import io.kubemirror.reflector.Reflector;
import io.kubemirror.reflector.ReflectorEnvironment;
import io.kubemirror.reflector.ReflectorSettings;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.StoredFields;
import io.kubemirror.testing.Mirrors;
import io.kubemirror.testing.ReflectorEnvironments;
import io.kubemirror.testing.UpstreamInterceptor;
import io.kubemirror.testing.UpstreamServer;

/**
 * The reflectors of many processes in this one. Those of a process share a client, a limit of
 * concurrent lists, and a probe, with the defaults of the configuration.
 */
final class Fleet implements AutoCloseable {

    /** The number of types of a process. */
    static final int TYPES = 3;

    private static final int CONCURRENT_LISTS = 4;
    private static final int PAGE = 500;
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final List<Reflector> reflectors = new ArrayList<>();
    private final Queue<Long> begun = new ConcurrentLinkedQueue<>();
    private final Queue<Long> synced = new ConcurrentLinkedQueue<>();
    private final ExecutorService wakers = Executors.newSingleThreadExecutor();
    private final ReflectorSettings settings;
    private long start;

    /** Processes that have not started. */
    Fleet(UpstreamServer server, int processes, List<ResourceType> types, Duration spread) {
        settings =
                ReflectorEnvironments.settings(
                        Strategy.AUTO,
                        PAGE,
                        StoredFields.ALL,
                        List.of(),
                        ReflectorEnvironments.timeouts(spread, Duration.ZERO));
        for (int i = 0; i < processes; i++) {
            process(counted(server.connect()), types);
        }
    }

    private void process(Source source, List<ResourceType> types) {
        ReflectorEnvironment environment = environment();
        for (ResourceType type : types) {
            Scope scope = new Scope(new ResourceName(type.groupResource()), Selection.everything());
            Mirror mirror =
                    new Mirror(scope, Mirrors.window(), Mirrors.READS, wakers, System::nanoTime);
            reflectors.add(
                    new Reflector(
                            source,
                            Mirrors.writer(mirror, System::nanoTime),
                            settings,
                            environment));
        }
    }

    private static ReflectorEnvironment environment() {
        RandomGenerator random = new Random();
        return ReflectorEnvironments.sharing(
                InstantSource.system(),
                random,
                Thread::sleep,
                new Semaphore(CONCURRENT_LISTS, /* fair= */ true));
    }

    private Source counted(Source source) {
        return new UpstreamInterceptor(
                source,
                list -> {
                    if (list.continueToken() == null) {
                        begun.add(System.nanoTime() - start);
                    }
                },
                this::counted);
    }

    private WatchRequest counted(WatchRequest watch) {
        if (watch.initialEvents()) {
            begun.add(System.nanoTime() - start);
        }
        return watch;
    }

    /**
     * Starts all, and returns when each has synchronized.
     *
     * @param cpu what the API server has used
     */
    FleetStart start(Supplier<Duration> cpu) {
        start = System.nanoTime();
        try (ExecutorService waiting = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Reflector reflector : reflectors) {
                var _ = waiting.submit(() -> awaitSynced(reflector.mirror()));
                reflector.start();
            }
        }
        if (synced.size() < reflectors.size()) {
            throw new IllegalStateException(
                    synced.size() + " of " + reflectors.size() + " within " + LIMIT);
        }
        return new FleetStart(List.copyOf(begun), List.copyOf(synced), cpu.get());
    }

    private boolean awaitSynced(Mirror mirror) throws InterruptedException {
        boolean reached = mirror.await(new Revision("1"), LIMIT);
        return reached && synced.add(System.nanoTime() - start);
    }

    @Override
    public void close() {
        reflectors.forEach(Reflector::stop);
        Reflector.awaitEnd(reflectors);
        wakers.shutdownNow();
    }
}
