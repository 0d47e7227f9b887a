package io.kubemirror.app;

import static io.kubemirror.testing.Manifests.configMap;
import static io.kubemirror.testing.Manifests.pod;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.Objects.requireNonNull;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.reflector.Reflector;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.WatchReader;
import io.kubemirror.testing.scripted.ScriptedApiServer;
import io.kubemirror.testing.scripted.ServedTypes;
import io.micrometer.core.instrument.MeterRegistry;

import jdk.management.VirtualThreadSchedulerMXBean;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.ConfigurableApplicationContext;

import java.lang.management.ManagementFactory;

/** Mirrors come and go while the whole application runs. */
class MirrorLifecycleTest {

    private static final String PODS = "/api/v1/pods";
    private static final String CONFIGMAPS = "/api/v1/configmaps";

    @AutoClose private final ScriptedApiServer server = ScriptedApiServer.create();

    @AutoClose
    private final ConfigurableApplicationContext context =
            ApplicationLauncher.mirroring(server.url(), "pods");

    private final MirrorLifecycle lifecycle = context.getBean(MirrorLifecycle.class);

    private RestClient client() {
        return ApplicationLauncher.api(context);
    }

    private void awaitServed(String path) {
        Awaitility.await().until(() -> client().get(path).code() == 200);
    }

    private static List<MirrorDefinition> definitions(String... settings) {
        Map<String, String> all = new HashMap<>();
        for (String setting : settings) {
            int equals = setting.indexOf('=');
            all.put(
                    "kubemirror.resources" + setting.substring(0, equals),
                    setting.substring(equals + 1));
        }
        return MirrorDefinition.all(BoundProperties.of(all));
    }

    /** Adds a mirror of config maps in all namespaces, which starts. */
    private static List<Mirror> begin(MirrorLifecycle lifecycle) {
        List<Mirror> added =
                lifecycle.add(
                        definitions("[0].resource=configmaps"),
                        ServedTypes.CONFIGMAPS,
                        DeclaredFields.NONE);
        lifecycle.begin(added);
        return added;
    }

    /** Created before other singletons that the web server does not need. */
    private static final class Injected {

        @Autowired List<Reflector> all = List.of();

        @Autowired
        @Qualifier("reflector-pods/a")
        @Nullable Reflector named;

        @Autowired @Nullable ObjectProvider<Mirror> mirrors;
    }

    @Test
    void reflectors_of_the_configuration_are_injected_by_their_type_and_by_their_names() {
        Injected injected = new Injected();
        try (ConfigurableApplicationContext started =
                ApplicationLauncher.with(
                        Injected.class,
                        injected,
                        "kubemirror.resources[0].resource=configmaps",
                        "kubemirror.resources[1].resource=pods",
                        "kubemirror.resources[1].namespaces=a,b")) {
            MirrorSet mirrors = started.getBean(MirrorSet.class);
            assertThat(injected.all)
                    .extracting(Reflector::mirror)
                    .extracting(one -> one.scope().toString())
                    .containsExactlyInAnyOrder("configmaps", "pods/a", "pods/b");
            assertThat(requireNonNull(injected.named).mirror()).isSameAs(mirrors.all().get(1));
            assertThat(requireNonNull(injected.mirrors).stream())
                    .containsExactlyInAnyOrderElementsOf(mirrors.all());
        }
    }

    @Test
    void request_that_has_found_a_mirror_reads_it_by_its_definition_although_it_has_ended() {
        MirrorDefinition definition = definitions("[0].resource=configmaps").getFirst();
        List<Mirror> added =
                lifecycle.add(List.of(definition), ServedTypes.CONFIGMAPS, DeclaredFields.NONE);

        lifecycle.remove(added);

        assertThat(added.getFirst().reads()).isEqualTo(definition.reads());
        assertThat(lifecycle.isRequired(added.getFirst())).isFalse();
    }

    @Test
    void removal_ends_its_watches_cleanly_while_others_go_on() {
        List<Mirror> added = begin(lifecycle);
        awaitServed(CONFIGMAPS);
        awaitServed(PODS);
        try (WatchReader gone = client().patient().watch(CONFIGMAPS + "?watch=1");
                WatchReader stays = client().patient().watch(PODS + "?watch=1")) {
            lifecycle.remove(added);

            assertThat(gone.nextLine()).as("the clean end of the stream").isEmpty();
            assertThat(client().get(CONFIGMAPS).code()).isEqualTo(404);
            server.create(pod("a", "x"));
            assertThat(stays.next().path("type").asString()).isEqualTo("ADDED");
        }
    }

    /** Virtual threads that wait for a class keep their carriers, and then no other may run. */
    @Test
    void mirrors_end_although_no_virtual_thread_runs() throws Exception {
        List<Mirror> added = begin(lifecycle);
        awaitServed(CONFIGMAPS);
        Thread removing = Thread.ofPlatform().unstarted(() -> lifecycle.remove(added));
        try (BlockedCarriers _ = new BlockedCarriers()) {
            removing.start();
            assertThat(removing.join(WaitLimit.GENEROUS)).as("removed").isTrue();
        }
        removing.join();
    }

    /** Blocks all threads that carry virtual threads: each waits for the same class. */
    private static final class BlockedCarriers implements AutoCloseable {

        private static final CompletableFuture<Void> RELEASED = new CompletableFuture<>();

        BlockedCarriers() {
            int carriers =
                    ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class)
                            .getParallelism();
            CountDownLatch left = new CountDownLatch(carriers);
            for (int i = 0; i < carriers; i++) {
                Thread.startVirtualThread(
                        () -> {
                            left.countDown();
                            SlowClass.load();
                        });
            }
            assertThat(WaitLimit.<Boolean>interruptibly(left::await)).isTrue();
        }

        @Override
        public void close() {
            RELEASED.complete(null);
        }

        private static final class SlowClass {

            static {
                RELEASED.join();
            }

            static void load() {}
        }
    }

    @Test
    void mirrors_that_come_and_go_a_thousand_times_leave_nothing() throws Exception {
        for (int i = 0; i < 20; i++) {
            server.create(configMap("a", "x" + i));
        }
        awaitServed(PODS);
        List<MirrorDefinition> both = definitions("[0].resource=configmaps", "[0].namespaces=a,b");
        List<WeakReference<Mirror>> gone = new ArrayList<>();
        List<Integer> meters = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            List<Mirror> added = lifecycle.add(both, ServedTypes.CONFIGMAPS, DeclaredFields.NONE);
            lifecycle.begin(added);
            added.forEach(mirror -> gone.add(new WeakReference<>(mirror)));
            if (i % 100 == 0) {
                awaitServed("/api/v1/namespaces/a/configmaps");
            }
            lifecycle.remove(added);
            meters.add(context.getBean(MeterRegistry.class).getMeters().size());
        }

        assertThat(gone).hasSize(2_000);
        Awaitility.await()
                .untilAsserted(
                        () -> {
                            System.gc();
                            assertThat(gone).noneMatch(mirror -> mirror.get() != null);
                        });
        MemoryBudget mirrors = context.getBean("mirrorMemory", MemoryBudget.class);
        // A reflector that took too long to end does so later.
        Awaitility.await().untilAsserted(() -> assertThat(mirrors.used()).isZero());
        assertThat(meters.getLast()).isLessThanOrEqualTo(meters.getFirst() + 10);
        idle();
    }

    /** The thread that signals subscriptions is still there. */
    private void idle() throws InterruptedException, ExecutionException, TimeoutException {
        context.getBean("notifier", ExecutorService.class)
                .submit(() -> {})
                .get(30, TimeUnit.SECONDS);
    }
}
