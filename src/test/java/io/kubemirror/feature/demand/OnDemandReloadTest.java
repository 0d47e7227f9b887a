package io.kubemirror.feature.demand;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import module java.base;

import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.read.ReadPolicy;
import io.kubemirror.api.watch.WatcherDirectory;
import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.app.MirrorDefinition;
import io.kubemirror.app.MirrorLifecycle;
import io.kubemirror.app.config.CurrentProperties;
import io.kubemirror.feature.demand.DemandedType.OnDemandResource;
import io.kubemirror.feature.demand.OnDemandMirrors.Configured;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.ResourceName;
import io.kubemirror.source.Source;
import io.kubemirror.testing.Closer;
import io.kubemirror.testing.RequestLatch;
import io.kubemirror.testing.scripted.ArmedFault;
import io.kubemirror.testing.scripted.ScriptedApiServer;
import io.kubemirror.testing.scripted.ServerFault;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

/** A request after a reload is not answered by what one from before it creates. */
@Timeout(120)
class OnDemandReloadTest {

    private static final RequestPath.Resource CONFIGMAPS =
            new RequestPath.Resource("", "v1", "configmaps");

    private static final ReadPolicy HIDING =
            new ReadPolicy.Partial(null, /* waiting= */ true, "drop=\"data\"");

    @AutoClose private final Closer open = new Closer();
    private final ScriptedApiServer server = open.add(ScriptedApiServer.create());
    private final ConfigurableApplicationContext application =
            open.add(
                    ApplicationLauncher.mirroring(
                            server.url(), "configmaps", "kubemirror.resources[0].start=on-demand"));
    private final MirrorLifecycle lifecycle = application.getBean(MirrorLifecycle.class);

    private volatile Configured configured =
            Configured.of(application.getBean(CurrentProperties.class).records());

    /** The first request, which looks at the configuration again when its mirror is created. */
    private volatile @Nullable Thread first;

    private final RequestLatch created = new RequestLatch();

    private final OnDemandMirrors onDemand =
            new OnDemandMirrors(
                    this::inForce,
                    lifecycle,
                    application.getBean(Source.class),
                    application.getBean(WatcherDirectory.class),
                    System::nanoTime,
                    Thread::sleep);

    private Configured inForce() {
        if (Thread.currentThread().equals(first)) {
            created.pass();
        }
        return configured;
    }

    /** Reloads while the first request waits, and returns when it has created the mirror. */
    private Thread reloadDuringCreation(Configured next) {
        RequestLatch gate = new RequestLatch();
        ArmedFault slow =
                server.faultUntilWithdrawn(
                        request -> request.path().endsWith("/selfsubjectaccessreviews"),
                        ServerFault.delay(gate));
        Thread creating = Thread.startVirtualThread(this::demand);
        slow.awaitHit();
        configured = next;
        onDemand.configure();
        first = creating;
        gate.open();
        created.awaitArrival();
        return creating;
    }

    private boolean demand() {
        try {
            return onDemand.demand(CONFIGMAPS, /* watch= */ false);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private List<ReadPolicy> reads() {
        return lifecycle.mirrors().stream().map(lifecycle::of).toList();
    }

    @Test
    void later_request_gets_the_mirror_of_the_new_definition() throws Exception {
        Thread creating = reloadDuringCreation(hiding());

        assertThat(onDemand.use(CONFIGMAPS, /* watch= */ false)).isFalse();
        assertThat(demand()).isTrue();
        assertThat(reads()).containsExactly(HIDING);

        created.open();
        creating.join();
        assertThat(reads()).containsExactly(HIDING);
    }

    private Configured hiding() {
        OnDemandResource whole = configured.resources().getFirst();
        return changed(
                whole.idle(),
                name ->
                        whole.definitions().apply(name).stream()
                                .map(one -> one.deferred(HIDING))
                                .toList());
    }

    private Configured changed(
            Duration idle, Function<ResourceName, List<MirrorDefinition>> definitions) {
        OnDemandResource present = configured.resources().getFirst();
        OnDemandResource next =
                new OnDemandResource(
                        present.resource(),
                        idle,
                        present.clusterScoped(),
                        present.secrets(),
                        definitions);
        return new Configured(List.of(next), List.of(), List.of());
    }

    @Test
    void present_mirror_ends_after_the_new_time_without_requests() {
        assertThat(demand()).isTrue();
        onDemand.answered(CONFIGMAPS);
        await().until(() -> lifecycle.mirrors().all().getFirst().snapshot().isPresent());
        Mirror present = lifecycle.mirrors().all().getFirst();

        configured = changed(Duration.ZERO, configured.resources().getFirst().definitions());
        onDemand.configure();
        assertThat(lifecycle.mirrors().all()).containsExactly(present);
        onDemand.start();

        await().until(() -> lifecycle.mirrors().all().isEmpty());
        onDemand.stop();
    }

    @Test
    void later_request_gets_no_mirror_that_is_not_configured_any_more() throws Exception {
        Thread creating = reloadDuringCreation(new Configured(List.of(), List.of(), List.of()));

        assertThat(onDemand.use(CONFIGMAPS, /* watch= */ false)).isFalse();
        assertThat(demand()).isFalse();
        assertThat(reads()).isEmpty();

        created.open();
        creating.join();
        assertThat(reads()).isEmpty();
    }
}
