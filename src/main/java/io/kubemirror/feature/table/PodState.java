package io.kubemirror.feature.table;

import module java.base;

import io.kubemirror.feature.table.CellText.HumanDuration;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

/**
 * Summarizes a pod from the states of its containers.
 *
 * <p>The reason why a pod is not running is searched in the order in which the pod starts: the
 * phase, the init containers, the containers. While the pod initializes, the restarts are those of
 * all init containers; afterward, those of the containers and of the init containers that keep
 * running.
 */
final class PodState {

    private final JsonNode spec;
    private final JsonNode status;
    private final Map<String, JsonNode> initContainers = new HashMap<>();

    private String reason;
    private int total;
    private int ready;
    private int restarts;
    private @Nullable Instant lastRestart;

    /** Summarizes a pod. */
    PodState(JsonNode pod) {
        this.spec = pod.path("spec");
        this.status = pod.path("status");
        this.total = spec.path("containers").size();
        this.reason = phase();
        for (JsonNode container : spec.path("initContainers")) {
            initContainers.put(name(container), container);
            total += isSidecar(container) ? 1 : 0;
        }
        boolean initializing = readInitContainers();
        if (!initializing || hasCondition("Initialized")) {
            readContainers();
        }
        if (!pod.path("metadata").path("deletionTimestamp").asString("").isEmpty()) {
            endedAs(status.path("phase").asString(""));
        }
    }

    /** Returns the activity of the pod, or the reason why it is not running. */
    String reason() {
        return reason;
    }

    /** Returns the number of ready containers and the number of containers. */
    String ready() {
        return ready + "/" + total;
    }

    /** Returns the number of container restarts and the time since the last one. */
    String restarts(Instant now) {
        return restarts == 0 || lastRestart == null
                ? Integer.toString(restarts)
                : restarts + " (" + HumanDuration.of(Duration.between(lastRestart, now)) + " ago)";
    }

    private String phase() {
        String unscheduled = reason(CellText.first(status.path("conditions"), "PodScheduled"));
        if (unscheduled.equals("SchedulingGated")) {
            return unscheduled;
        }
        return reason(status).isEmpty() ? status.path("phase").asString("") : reason(status);
    }

    /** Returns whether an init container blocks the pod. */
    private boolean readInitContainers() {
        int index = 0;
        for (JsonNode container : status.path("initContainerStatuses")) {
            count(container);
            if (!isPassed(container)) {
                reason = "Init:" + obstacle(container, index);
                return true;
            }
            index++;
        }
        return false;
    }

    /**
     * Returns whether an init container no longer blocks the pod: it has completed, or it is a
     * running sidecar.
     */
    private boolean isPassed(JsonNode container) {
        JsonNode terminated = container.path("state").path("terminated");
        if (terminated.isObject() && terminated.path("exitCode").asInt(0) == 0) {
            return true;
        }
        if (!runsOn(container) || !container.path("started").asBoolean(false)) {
            return false;
        }
        ready += container.path("ready").asBoolean(false) ? 1 : 0;
        return true;
    }

    private String obstacle(JsonNode container, int index) {
        JsonNode state = container.path("state");
        String waiting = reason(state.path("waiting"));
        if (state.path("terminated").isObject()) {
            return ending(state.path("terminated"));
        }
        return waiting.isEmpty() || waiting.equals("PodInitializing")
                ? index + "/" + spec.path("initContainers").size()
                : waiting;
    }

    private void readContainers() {
        restarts = 0;
        lastRestart = null;
        for (JsonNode container : status.path("initContainerStatuses")) {
            if (runsOn(container)) {
                count(container);
            }
        }
        boolean running = false;
        JsonNode containers = status.path("containerStatuses");
        // The first container takes precedence.
        for (int i = containers.size() - 1; i >= 0; i--) {
            running |= readContainer(containers.path(i));
        }
        if (running && reason.equals("Completed")) {
            reason = hasCondition("Ready") ? "Running" : "NotReady";
        }
    }

    /** Returns whether the container runs and is ready. */
    private boolean readContainer(JsonNode container) {
        count(container);
        JsonNode state = container.path("state");
        if (!reason(state.path("waiting")).isEmpty()) {
            reason = reason(state.path("waiting"));
        } else if (state.path("terminated").isObject()) {
            reason = ending(state.path("terminated"));
        } else if (container.path("ready").asBoolean(false) && state.path("running").isObject()) {
            ready++;
            return true;
        }
        return false;
    }

    private void endedAs(String phase) {
        if (reason(status).equals("NodeLost")) {
            reason = "Unknown";
        } else if (!phase.equals("Succeeded") && !phase.equals("Failed")) {
            reason = "Terminating";
        }
    }

    private void count(JsonNode container) {
        restarts += container.path("restartCount").asInt(0);
        JsonNode ended = container.path("lastState").path("terminated").path("finishedAt");
        HumanDuration.parse(ended.asString(""))
                .filter(time -> lastRestart == null || time.isAfter(lastRestart))
                .ifPresent(time -> lastRestart = time);
    }

    private static String ending(JsonNode terminated) {
        if (!reason(terminated).isEmpty()) {
            return reason(terminated);
        }
        int signal = terminated.path("signal").asInt(0);
        return signal != 0
                ? "Signal:" + signal
                : "ExitCode:" + terminated.path("exitCode").asInt(0);
    }

    private boolean runsOn(JsonNode container) {
        JsonNode declared = initContainers.get(name(container));
        return declared != null && isSidecar(declared);
    }

    private static boolean isSidecar(JsonNode initContainer) {
        return initContainer.path("restartPolicy").asString("").equals("Always");
    }

    private boolean hasCondition(String type) {
        return CellText.isTrue(status, type);
    }

    private static String name(JsonNode container) {
        return container.path("name").asString("");
    }

    private static String reason(JsonNode node) {
        return node.path("reason").asString("");
    }
}
