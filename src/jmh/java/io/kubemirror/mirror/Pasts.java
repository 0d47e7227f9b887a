package io.kubemirror.mirror;

import io.kubemirror.kube.Stock;
import io.kubemirror.model.Change;
import io.kubemirror.model.Revision;

/** Makes what a reader gets of a mirror's past, for whoever measures what is done with it. */
public final class Pasts {

    private Pasts() {}

    /** A modification of an object. */
    public static Change modification(Stock stock) {
        return new Modifications(stock.objects(1)).change();
    }

    /** A change of which nothing has been made yet. */
    public static LoggedChange logged(Change change) {
        return new LoggedChange(0, change, Snapshot.empty(Revision.ZERO), 0);
    }

    /** A writer whose mirror holds that many objects. */
    public static MirrorWriter filled(Stock stock, int objects) {
        return new Modifications(stock.objects(objects)).mirrored(Runnable::run);
    }
}
