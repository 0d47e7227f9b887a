package io.kubemirror.testing;

import module java.base;

import io.kubemirror.testing.scripted.ServedTypes;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Synthetic objects that change: pods that are created, change their phase, and are deleted, a
 * config map that counts, and a deployment that is scaled.
 *
 * <p>Changes depend only on the number of the step, so a test can predict them. The caller of
 * {@link #step} decides when they happen.
 */
public final class SyntheticLoad implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SyntheticLoad.class);

    /**
     * A pod runs one step after its creation, succeeds after this many steps, and is deleted two
     * steps later.
     */
    private static final int WORKING_STEPS = 4;

    private final ApiServer server;
    private final String namespace;
    private int step;
    private @Nullable ScheduledFuture<?> schedule;

    /** Prepares one namespace, which is created if necessary. */
    public SyntheticLoad(ApiServer server, String namespace) {
        this.server = server;
        this.namespace = namespace;
        server.ensureNamespace(namespace);
    }

    /** Steps regularly until closed. A failed step is logged, and the next one is tried. */
    public void begin(ScheduledExecutorService scheduler, Duration period) {
        schedule =
                scheduler.scheduleAtFixedRate(
                        this::stepOrLog, 0, period.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void stepOrLog() {
        try {
            step();
        } catch (RuntimeException e) {
            LOG.warn("step {} of the synthetic life failed: {}", step, e.getMessage());
        }
    }

    /** Makes the next change; for one thread at a time. */
    public void step() {
        step++;
        if (step == 1) {
            createObjects();
        }
        server.create(Manifests.pod(namespace, pod(step)).label("app", "walker"));
        phase(step, "Pending");
        phase(step - 1, "Running");
        phase(step - WORKING_STEPS, "Succeeded");
        if (step > WORKING_STEPS + 2) {
            server.delete(ServedTypes.PODS, namespace, pod(step - WORKING_STEPS - 2));
        }
        server.patch(
                ServedTypes.CONFIGMAPS,
                namespace,
                "ticker",
                "{\"data\": {\"step\": \"%d\"}}".formatted(step));
        server.patch(
                ServedTypes.DEPLOYMENTS,
                namespace,
                "shop",
                "{\"spec\": {\"replicas\": %d}}".formatted(1 + step / 10 % 3));
    }

    private void createObjects() {
        server.create(Manifests.configMap(namespace, "ticker").data("step", "0"));
        server.create(Manifests.configMap(namespace, "settings").data("colour", "blue"));
        server.create(Manifests.deployment(namespace, "shop", 1));
    }

    private void phase(int number, String phase) {
        if (number > 0) {
            server.patchStatus(
                    ServedTypes.PODS,
                    namespace,
                    pod(number),
                    "{\"status\": {\"phase\": \"%s\"}}".formatted(phase));
        }
    }

    private static String pod(int number) {
        return "walker-" + number;
    }

    /** Stops the regular steps. */
    @Override
    public void close() {
        if (schedule != null) {
            schedule.cancel(false);
        }
    }
}
