package io.kubemirror.feature.etcd;

import module java.base;

import io.kubemirror.feature.etcd.EntryReader.StoredEntry;
import io.kubemirror.feature.etcd.EtcdClient.EtcdSettings;
import io.kubemirror.feature.etcd.GrpcCall.ProtobufWriter;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchFrame.Broken.BrokenKind;
import io.kubemirror.source.WatchStream;

import org.jspecify.annotations.Nullable;

/**
 * A watch that is read from a stream of etcd. Events become frames as an API server sends them to a
 * watch with a selection.
 */
final class EtcdWatch implements WatchStream {

    /** How often progress is requested, as often as a member reports it to an API server. */
    private static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(5);

    /** Fields of a message. */
    private static final int CREATED = 3;

    private static final int CANCELED = 4;
    private static final int COMPACTED = 5;
    private static final int REASON = 6;
    private static final int FRAGMENT = 7;
    private static final int EVENTS = 11;

    private final GrpcCall call;
    private final EntryReader entries;
    private final EtcdSettings settings;
    private final WatchRequest request;
    private final Thread monitor;

    /**
     * The time of the last message. Written by the thread that reads, read by the one that
     * monitors.
     */
    private volatile long heard;

    /** Whether the monitor has ended a silent stream. It writes this before it cancels the call. */
    private volatile boolean silent;

    /**
     * This field and all fields below it are guarded by the monitor of this watch. It is held while
     * a thread waits for a frame, because a response must not be closed while it is read.
     * Cancelling the call does not require it.
     */
    private final Queue<WatchFrame> ready = new ArrayDeque<>();

    /** An event that waits until it is known to be the only one of its revision. */
    private WatchFrame.@Nullable ObjectEvent pending;

    private Revision reached = Revision.ZERO;

    private WatchFrame.@Nullable End last;

    EtcdWatch(GrpcCall call, EntryReader entries, WatchRequest request, EtcdSettings settings) {
        this.call = call;
        this.entries = entries;
        this.settings = settings;
        this.request = request;
        this.heard = settings.ticker().getAsLong();
        this.monitor =
                Thread.ofVirtual()
                        .name(Thread.currentThread().getName() + "-etcd-watch")
                        .unstarted(this::monitor);
    }

    /**
     * Starts to monitor the stream, and waits for the first message, which says whether etcd
     * accepts the watch. Returns the revision of the member.
     */
    synchronized Revision awaitCreation() throws IOException {
        monitor.start();
        return call.message(
                first -> {
                    heard = settings.ticker().getAsLong();
                    if (!first.flag(CREATED) || first.flag(CANCELED)) {
                        throw cancellation(first);
                    }
                    return first.header();
                });
    }

    /**
     * Requests progress and ends a silent stream, since OkHttp has no timeouts for reads of a
     * stream in both directions. Runs on a thread of its own, the only one that sends after the
     * watch was created.
     */
    void monitor() {
        ProtobufWriter progress = new ProtobufWriter().message(3, new ProtobufWriter());
        long silence = request.silence().toNanos();
        try {
            while (!call.isCanceled()) {
                settings.sleeper()
                        .sleep(Duration.ofNanos(Math.min(silence, PROGRESS_INTERVAL.toNanos())));
                if (settings.ticker().getAsLong() - heard >= silence) {
                    silent = true;
                    call.cancel();
                } else if (request.bookmarks()) {
                    call.send(progress);
                }
            }
        } catch (IOException | InterruptedException _) {
            // The watch has ended, and its reader finds the cause.
        }
    }

    @Override
    public synchronized WatchFrame next() {
        if (last != null) {
            return last;
        }
        WatchFrame frame = read();
        if (frame instanceof WatchFrame.End end) {
            last = end;
            end();
        }
        return frame;
    }

    /** A call that is canceled may be closed, too, and a closed response cannot be read. */
    private WatchFrame read() {
        try {
            while (ready.isEmpty() && !call.isCanceled()) {
                if (!call.read(this::accept)) {
                    ready.add(new WatchFrame.Ended());
                }
            }
            WatchFrame next = ready.poll();
            return next == null ? canceled() : next;
        } catch (IOException e) {
            return call.isCanceled() ? canceled() : EtcdException.end(e);
        }
    }

    private WatchFrame canceled() {
        return silent
                ? new WatchFrame.Broken("the server became silent", BrokenKind.SILENT)
                : new WatchFrame.Broken("closed", BrokenKind.CUT);
    }

    /**
     * Reads a message. One without events reports progress; the events of a revision end with a
     * message. Returns false at the end of the stream.
     */
    private boolean accept(@Nullable ProtobufMessage in) throws IOException {
        if (in == null) {
            return false;
        }
        heard = settings.ticker().getAsLong();
        if (in.flag(CANCELED)) {
            throw cancellation(in);
        }
        in.each(EVENTS, this::event);
        if (in.message(EVENTS).isEmpty()) {
            ready.add(new WatchFrame.Bookmark(in.header(), false));
        } else if (!in.flag(FRAGMENT)) {
            flush();
        }
        return true;
    }

    private static EtcdException cancellation(ProtobufMessage in) throws IOException {
        return in.flag(COMPACTED)
                ? EtcdException.expired("the revision of the watch was compacted")
                : EtcdException.canceled(in.bytes(REASON).utf8());
    }

    /** Adds the waiting event. What the selection has left out moves the revision too. */
    private void flush() {
        Revision sent = Revision.ZERO;
        if (pending != null) {
            sent = pending.object().revision();
            ready.add(pending);
            pending = null;
        }
        if (reached.isAfter(sent)) {
            ready.add(new WatchFrame.Bookmark(reached, false));
        }
    }

    private void event(ProtobufMessage in) throws IOException {
        StoredEntry entry = entries.read(in.message(2));
        ProtobufMessage before = in.message(3);
        reached = Revision.later(reached, entry.modified());
        // The state before matters only if the object leaves what is watched.
        boolean needed = entry.object() == null && !before.isEmpty();
        add(entry, needed ? entries.read(before) : null);
    }

    private void add(StoredEntry entry, @Nullable StoredEntry previous) {
        KubeObject object = entry.object();
        KubeObject before = previous == null ? null : previous.object();
        boolean isNew = entry.modified().digits().equals(Long.toString(entry.created()));
        if (object != null) {
            add(
                    isNew
                            ? new WatchFrame.Added(object, entries.created(), null)
                            : new WatchFrame.Modified(object, null));
        } else if (before != null) {
            add(new WatchFrame.Deleted(before.at(entry.modified())));
        } else if (previous == null && !isNew) {
            ready.add(new WatchFrame.Untrackable("the state before a change was compacted"));
        }
    }

    /**
     * Holds an event back until the next one. A transaction changes several objects at one
     * revision, between which no watch could resume, so only a list helps.
     */
    private void add(WatchFrame.ObjectEvent event) {
        if (pending != null) {
            boolean same = pending.object().revision().equals(event.object().revision());
            ready.add(
                    same
                            ? new WatchFrame.Untrackable(
                                    "a transaction changed several objects at one revision")
                            : pending);
        }
        pending = event;
    }

    /**
     * {@inheritDoc} Cancelling the call ends a pending read immediately, which releases the
     * monitor.
     */
    @Override
    public void close() {
        call.cancel();
        end();
    }

    private synchronized void end() {
        monitor.interrupt();
        call.close();
    }
}
