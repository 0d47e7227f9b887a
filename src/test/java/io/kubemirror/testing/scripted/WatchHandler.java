package io.kubemirror.testing.scripted;

import module java.base;

import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;

/** Answers watches (list-watch.md#watch-start). */
final class WatchHandler {

    private final ResourceStore store;

    WatchHandler(ResourceStore store) {
        this.store = store;
    }

    void watch(
            ReceivedRequest request,
            ResourceType type,
            ScriptedListOptions options,
            ScriptedResponse answer,
            List<OpenWatch.Step> first)
            throws IOException {
        OpenWatch watch = new OpenWatch(request, type, options);
        long revision = options.revision();
        boolean initial = Boolean.TRUE.equals(options.initialEvents());
        if (initial
                && !store.await(() -> store.revision() >= revision, ScriptedApiServer.PATIENCE)) {
            watch.fail(store.tooLarge(revision));
        } else {
            open(watch, type, options);
        }
        Long timeout = options.sent().streaming().timeoutSeconds();
        if (timeout != null && timeout < 0) {
            watch.fail(StatusErrors.deadlineExceeded());
        }
        try {
            answer.begin(watch::cut);
            watch.run(answer, first);
        } finally {
            store.changing(() -> forget(type, watch));
        }
    }

    private boolean forget(ResourceType type, OpenWatch watch) {
        return store.types().contains(type) && store.series(type).watches().remove(watch);
    }

    /** Fills the watch with what is due at once and registers it, without a gap in between. */
    private void open(OpenWatch watch, ResourceType type, ScriptedListOptions options) {
        store.changing(
                () -> {
                    ResourceHistory series = store.series(type);
                    if (wantsState(options)) {
                        startWithState(watch, series, options);
                    } else {
                        startAfter(watch, series, options);
                    }
                    return series.watches().add(watch);
                });
    }

    /**
     * Whether the present state comes first; of old even without asking for it
     * (list-watch.md#wa-12).
     */
    private static boolean wantsState(ScriptedListOptions options) {
        return options.initialEvents() == null ? options.revision() == 0 : options.initialEvents();
    }

    private void startWithState(
            OpenWatch watch, ResourceHistory series, ScriptedListOptions options) {
        series.content().values().stream().filter(options.selection()).forEach(watch::added);
        watch.startAfter(store.revision());
        if (options.sent().streaming().bookmarks() && options.initialEvents() != null) {
            watch.initialEventsEnd(store.revision());
        }
    }

    private void startAfter(OpenWatch watch, ResourceHistory series, ScriptedListOptions options) {
        long revision = options.revision();
        if (revision == 0) {
            watch.startAfter(store.revision());
        } else if (revision < series.oldestWatchable()) {
            watch.fail(
                    StatusErrors.expiredWatch(
                            new Revision(Long.toString(revision)),
                            new Revision(Long.toString(series.oldestWatchable()))));
        } else {
            watch.startAfter(revision);
            series.history().forEach(watch::offer);
        }
    }
}
