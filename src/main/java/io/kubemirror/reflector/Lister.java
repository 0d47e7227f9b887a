package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.mirror.Resync;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.Revision;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorCounts.TimedSpan;
import io.kubemirror.reflector.ReflectorState.FetchMethod;
import io.kubemirror.reflector.ReflectorState.SyncStart;
import io.kubemirror.source.Failure;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchStream;
import io.kubemirror.source.WatchStream.UpstreamWatch;
import io.kubemirror.source.WatchStream.UpstreamWatch.ReadAheadLimits;
import io.kubemirror.source.WatchStream.UpstreamWatch.ReadAheadWatch;

import org.jspecify.annotations.Nullable;

/**
 * Handles {@link ReflectorState.Paging} and {@link ReflectorState.CatchingUp}: fetches the present
 * state page by page, for large collections while the watch is already running, so that no change
 * is lost however long the pages take (list-watch.md#pp-2).
 *
 * <p>A list with a watch that expires in the middle is not started over but continued at a newer
 * state of the collection (list-watch.md#pp-8). No record of which object has which revision is
 * needed: each object shows by its own revision whether a change is newer than its page.
 */
final class Lister extends Synchronizer {

    /**
     * The maximum number of pages in a row without a new object. A server that filters may send
     * some.
     */
    private static final int MAX_EMPTY_PAGES = 100;

    Lister(StateMachine machine) {
        super(machine);
    }

    ReflectorState begin(ReflectorState.Synchronizing sync) {
        Revision revision = request(sync);
        Resync resync = collect();
        return new ReflectorState.Paging(
                sync, requests.firstPage(sync, revision), resync, null, Revision.ZERO, 0, null);
    }

    ReflectorState step(ReflectorState.Paging state) {
        BufferedWatch watch = state.stream();
        if (watch != null) {
            counts.readAhead(watch.buffered());
            String problem = problem(watch, state.sync().collection());
            if (problem != null) {
                return alone(state, problem);
            }
        }
        boolean later = state.request().continueToken() != null;
        int objects = state.resync().size();
        return switch (requests.list(state.request(), object -> add(state.resync(), object))) {
            case Result.Success(var page) -> arrived(state, page, objects);
            case Result.Failed(var failure) when later && FailureHandler.isExpired(failure) ->
                    expired(state, failure);
            case Result.Failed(Failure.Refused refused)
                    when later && state.resync().size() == objects && retryState.obeys(refused) ->
                    failures.backOff(
                            refused, state.sync().collection().permission(Verb.LIST), state);
            case Result.Failed(var failure) -> failed(state, failure);
        };
    }

    /**
     * Opens the watch beside a list again where it ended (list-watch.md#pp-7). Returns why it
     * cannot go on, null if it does.
     */
    private @Nullable String problem(BufferedWatch watch, ResourceCollection collection) {
        if (watch.failed()) {
            return "the watch in parallel to the list failed";
        }
        if (!watch.mayContinue()) {
            return null;
        }
        return switch (requests.watch(collection, watch.reached())) {
            case Result.Success(var next) -> {
                watch.append(next);
                yield null;
            }
            case Result.Failed(var failure) -> failure.summary();
        };
    }

    /**
     * Drops the watch and continues the list. Pages of several states are useless without their
     * watch (list-watch.md#pp-6).
     */
    private ReflectorState alone(ReflectorState.Paging state, String reason) {
        state.close();
        if (state.isMixed()) {
            return failures.watchFailed(reason, failures.retry(state.sync()));
        }
        counts.count(Counter.WATCHES_FAILED);
        return state.beside(null);
    }

    private ReflectorState arrived(ReflectorState.Paging before, ListMeta page, int objects) {
        String token = page.continueToken();
        boolean first = before.request().continueToken() == null;
        // A page before this one may have been refused.
        reporter.enter(Phase.SYNCHRONIZING);
        boolean isEmpty = !first && before.resync().size() == objects;
        ReflectorState.Paging state =
                before.arrived(page.revision(), isEmpty ? before.emptyPages() + 1 : 0);
        reporter.expecting(page.remaining());
        if (token != null && page.remaining() != null) {
            state.resync().expect(page.remaining());
        }
        String mistake = mistake(before, page, state.emptyPages());
        if (mistake != null) {
            return failed(before, new Failure.Malformed(mistake));
        }
        if (token == null) {
            return completed(state);
        }
        return first && settings.strategy().overlaps(capabilities)
                ? besideWatch(state.next(token), page.revision())
                : state.next(token);
    }

    /** Returns why a page cannot follow those before it, null if it can. */
    private static @Nullable String mistake(
            ReflectorState.Paging before, ListMeta page, int emptyPages) {
        String token = page.continueToken();
        boolean isRepeated = token != null && token.equals(before.request().continueToken());
        if (isRepeated || (token != null && emptyPages > MAX_EMPTY_PAGES)) {
            return "the list does not end: the server repeats a continue token or returns pages"
                    + " without new objects";
        }
        Revision expected = before.revision();
        boolean isOther = expected != null && !expected.equals(page.revision());
        return isOther || page.revision().isBefore(before.newest())
                ? "the pages of one list have different revisions"
                : null;
    }

    /**
     * Opens the watch after the first page; if that fails, the list continues without it
     * (list-watch.md#pp-6).
     */
    private ReflectorState besideWatch(ReflectorState.Paging second, Revision first) {
        return switch (requests.watch(second.sync().collection(), first)) {
            case Result.Success(var stream) -> second.beside(new BufferedWatch(first, stream));
            case Result.Failed(var _) -> second;
        };
    }

    private ReflectorState completed(ReflectorState.Paging state) {
        BufferedWatch watch = state.stream();
        if (watch != null) {
            // Nothing has been read yet, so there was never more.
            counts.readAhead(watch.buffered());
        }
        if (watch != null && state.isMixed()) {
            return catchingUp(state, watch);
        }
        TimedSpan how = watch == null ? TimedSpan.LIST : TimedSpan.LIST_WATCH_PARALLEL;
        ResourceCollection collection = state.sync().collection();
        if (!complete(state.resync(), state.newest(), state.sync().from(), how)) {
            return implausible(state, state.sync(), state.newest());
        }
        return watch == null ? listed(collection) : followed(collection, watch);
    }

    private ReflectorState listed(ResourceCollection collection) {
        capabilities.listed();
        return capabilities.mayWatch()
                ? new ReflectorState.Opening(collection)
                : failures.poll(collection);
    }

    private ReflectorState followed(ResourceCollection collection, BufferedWatch watch) {
        if (watch.failed()) {
            watch.close();
            return new ReflectorState.Opening(collection);
        }
        return watching(collection, watch, reporter.began());
    }

    private static ReflectorState catchingUp(ReflectorState.Paging state, BufferedWatch watch) {
        if (watch.reached().isBefore(state.newest())) {
            // In a quiet collection the next bookmark is up to a minute away. The watch that
            // follows this one brings one soon.
            watch.stop();
        }
        return new ReflectorState.CatchingUp(state, watch, watch.start(), /* fruitful= */ true);
    }

    /**
     * Continues a list with a watch beside it with the token in the answer (list-watch.md#pp-8). A
     * token that expires at once makes no progress. Without a watch the token is not used, because
     * the result would mix two states (list-watch.md#up-7).
     */
    private ReflectorState expired(ReflectorState.Paging state, Failure failure) {
        String token =
                failure instanceof Failure.Refused(var status, var _)
                        ? status.continueToken()
                        : null;
        if (state.stream() != null && token != null && state.revision() != null) {
            reporter.heard();
            counts.count(Counter.PAGES_EXPIRED);
            return state.inconsistently(token);
        }
        state.close();
        counts.count(Counter.LISTS_EXPIRED);
        capabilities.listExpired();
        return new ReflectorState.Synchronizing(
                state.sync().collection(), state.sync().from(), FetchMethod.WHOLE);
    }

    /**
     * Lists at once without a revision if the requested one is expired (list-watch.md#up-20),
     * otherwise backs off.
     */
    private ReflectorState failed(ReflectorState.Paging state, Failure failure) {
        state.close();
        ReflectorState.Synchronizing sync = state.sync();
        Permission needed = sync.collection().permission(Verb.LIST);
        if (FailureHandler.isExpired(failure)) {
            counts.count(Counter.LISTS_EXPIRED);
            return sync.from() == SyncStart.CACHED
                    ? new ReflectorState.Synchronizing(
                            sync.collection(), SyncStart.MOST_RECENT, FetchMethod.PAGES)
                    : failures.backOff(failure, needed, failures.retry(sync));
        }
        counts.count(Counter.LISTS_FAILED);
        pacer.listFailed();
        return failures.backOff(failure, needed, failures.retry(sync, failure));
    }

    ReflectorState step(ReflectorState.CatchingUp state) {
        return switch (state.stream().next()) {
            case WatchFrame.ObjectEvent event -> changed(state, event);
            case WatchFrame.Bookmark(var revision, var _) -> reached(state.at(revision));
            case WatchFrame.Foreign foreign -> {
                reporter.skipped(foreign);
                yield state;
            }
            case WatchFrame.Failed(var status) ->
                    abandoned(state, new Failure.Refused(status).summary());
            case WatchFrame.Untrackable(var reason) -> abandoned(state, reason);
            case WatchFrame.Broken _, WatchFrame.Ended _ -> extended(state);
        };
    }

    /** Applies a change unless it is in the page of its object. */
    private ReflectorState changed(ReflectorState.CatchingUp state, WatchFrame.ObjectEvent event) {
        KubeObject object = event.object();
        Resync resync = state.pages().resync();
        if (!resync.contains(object.key(), object.revision())) {
            if (event instanceof WatchFrame.Deleted) {
                resync.remove(object.key());
            } else {
                resync.add(object);
            }
        }
        return reached(state.at(object.revision()));
    }

    private ReflectorState reached(ReflectorState.CatchingUp state) {
        reporter.heard();
        ReflectorState.Paging pages = state.pages();
        if (state.reached().isBefore(pages.newest())) {
            return state;
        }
        ReflectorState.Synchronizing sync = pages.sync();
        TimedSpan how = TimedSpan.LIST_WATCH_PARALLEL;
        return complete(pages.resync(), state.reached(), sync.from(), how)
                ? watching(sync.collection(), state.stream(), reporter.began())
                : implausible(state, sync, state.reached());
    }

    /**
     * The watch ended before it had reached the newest page; another begins where it ended. A
     * server whose watch brings nothing is asked for a list in one piece, which needs no watch.
     */
    private ReflectorState extended(ReflectorState.CatchingUp state) {
        ReflectorState.Synchronizing sync = state.pages().sync();
        state.close();
        if (!state.fruitful()) {
            return failures.watchFailed(
                    "the watch ended before it reached the revision of the list",
                    new ReflectorState.Synchronizing(
                            sync.collection(), failures.retry(sync.from()), FetchMethod.WHOLE));
        }
        return switch (requests.briefWatch(sync.collection(), state.reached())) {
            case Result.Success(var stream) ->
                    new ReflectorState.CatchingUp(
                            state.pages(), stream, state.reached(), /* fruitful= */ false);
            case Result.Failed(var failure) ->
                    failures.backOff(
                            failure,
                            sync.collection().permission(Verb.WATCH),
                            failures.retry(sync));
        };
    }

    private ReflectorState abandoned(ReflectorState.CatchingUp state, String reason) {
        state.close();
        return failures.watchFailed(reason, failures.retry(state.pages().sync()));
    }

    /**
     * A watch that runs beside a list. Its events are buffered until all pages have arrived, and
     * are then read like those of any other watch (list-watch.md#pp-4).
     *
     * <p>A list may take longer than a server keeps a watch open, so a buffered watch may consist
     * of several watches, each started where the one before ended (list-watch.md#pp-7). Read by one
     * thread, closed by any.
     */
    static final class BufferedWatch implements WatchStream {

        private final Deque<ReadAheadWatch> parts = new ConcurrentLinkedDeque<>();
        private final Revision start;

        /**
         * Creates a buffered watch that consists of one watch.
         *
         * @param start the revision that it begins after, that of the list's first page
         */
        BufferedWatch(Revision start, UpstreamWatch stream) {
            this.start = start;
            parts.addLast(stream.ahead(ReadAheadLimits.defaults()));
        }

        /** Returns the revision of the list's first page. */
        Revision start() {
            return start;
        }

        /** Appends another watch that starts where this one {@linkplain #reached ended}. */
        void append(UpstreamWatch stream) {
            parts.addLast(stream.ahead(parts.getLast().left()));
        }

        /** Ends the watch at the server. What has arrived can still be read. */
        void stop() {
            parts.getLast().stop();
        }

        /** Returns the revision up to which all events have arrived here, read or not. */
        Revision reached() {
            return parts.stream().map(ReadAheadWatch::newest).reduce(start, Revision::later);
        }

        /** Returns what has arrived and is not read yet, of all watches. */
        ReadAheadLimits buffered() {
            return parts.stream()
                    .map(ReadAheadWatch::buffered)
                    .reduce(
                            new ReadAheadLimits(0, 0),
                            (a, b) ->
                                    new ReadAheadLimits(
                                            a.frames() + b.frames(), a.bytes() + b.bytes()));
        }

        /** Returns whether the watch failed and its events cannot be used (list-watch.md#pp-6). */
        boolean failed() {
            return parts.getLast().ending().map(BufferedWatch::isFailure).orElse(false);
        }

        /**
         * Returns whether another watch can continue from here and there is room for its events
         * (list-watch.md#pp-7).
         */
        boolean mayContinue() {
            ReadAheadWatch last = parts.getLast();
            return !last.left().isNone() && last.ending().map(end -> !isFailure(end)).orElse(false);
        }

        private static boolean isFailure(WatchFrame ending) {
            return ending instanceof WatchFrame.Failed || ending instanceof WatchFrame.Untrackable;
        }

        @Override
        public WatchFrame next() {
            WatchFrame frame = parts.getFirst().next();
            while (parts.size() > 1
                    && (frame instanceof WatchFrame.Ended || frame instanceof WatchFrame.Broken)) {
                parts.removeFirst().close();
                frame = parts.getFirst().next();
            }
            return frame;
        }

        /**
         * {@inheritDoc} A closed part has lost its events. The thread that reads gets no event of a
         * later one, because that is closed before.
         */
        @Override
        public void close() {
            parts.reversed().forEach(WatchStream::close);
        }
    }
}
