package io.kubemirror.feature.diagnose;

import io.kubemirror.app.ConfigurationReport;
import io.kubemirror.app.Mirrored;
import io.kubemirror.app.ProcessDescription;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.WatcherDirectory;
import io.kubemirror.model.MemoryBudget;

import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The sources that a diagnosis reads.
 *
 * @param watchers lists the open watches of a mirror
 * @param process what runs
 * @param configuration whether its settings are those of the configuration files
 * @param memory the memory budget of the process
 */
public record DiagnosisInput(
        WatcherDirectory watchers,
        ProcessDescription process,
        ConfigurationReport configuration,
        MemoryBudget memory,
        InstantSource clock) {

    /** The present mirrors in the order of the configuration. */
    public List<Mirrored> mirrors() {
        return process.mirrors().get();
    }

    /** The clock in nanoseconds, for caches. */
    public long nanos() {
        return TimeUnit.MILLISECONDS.toNanos(clock.millis());
    }

    /** The mirrors without their reflectors. */
    public List<Mirror> plain() {
        return mirrors().stream().map(Mirrored::mirror).toList();
    }
}
