package io.kubemirror.mirror;

import io.kubemirror.kube.BenchmarkCollections;
import io.kubemirror.model.Change;
import io.kubemirror.model.Revision;

/** Creates views of a log for benchmarks. */
public final class LogViews {

    private LogViews() {}

    /** A modification of an object. */
    public static Change modification(BenchmarkCollections benchmarkCollections) {
        return new Modifications(benchmarkCollections.objects(1)).change();
    }

    /** A change of which nothing has been made yet. */
    public static LoggedChange logged(Change change) {
        return new LoggedChange(0, change, Snapshot.empty(Revision.ZERO), 0);
    }

    /** A writer whose mirror holds that many objects. */
    public static MirrorWriter filled(BenchmarkCollections benchmarkCollections, int objects) {
        return new Modifications(benchmarkCollections.objects(objects)).mirrored(Runnable::run);
    }
}
