package io.kubemirror.testing;

import module java.base;

import io.kubemirror.model.Revision;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Source.WatchRequest;

import org.jspecify.annotations.Nullable;

/** Requests for watches. */
public final class WatchRequests {

    private WatchRequests() {}

    /** Returns a request for a watch with bookmarks at the interval of the server. */
    public static WatchRequest withBookmarks(
            ResourceCollection collection,
            @Nullable Revision revision,
            boolean initialEvents,
            Duration timeout,
            Duration silence,
            Duration initialSilence) {
        return new WatchRequest(
                collection,
                revision,
                initialEvents,
                /* bookmarks= */ true,
                timeout,
                silence,
                initialSilence,
                /* ahead= */ false);
    }
}
