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

    /** The fields of a message, whose events have been read. */
    private static final class WatchMessage {
        private Revision revision = Revision.ZERO;
        private boolean created;
        private boolean canceled;
        private boolean compacted;
        private boolean fragment;
        private boolean eventful;
        private String reason = "";
    }

    /**
     * Starts to monitor the stream, and waits for the first message, which says whether etcd
     * accepts the watch. Returns the revision of the member.
     */
    synchronized Revision awaitCreation() throws IOException {
        monitor.start();
        WatchMessage first = call.message(this::parse);
        if (!first.created || first.canceled) {
            throw cancellation(first);
        }
        return first.revision;
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

    /** Returns false at the end of the stream. */
    private boolean accept(@Nullable ProtobufReader in) throws IOException {
        if (in != null) {
            complete(parse(in));
        }
        return in != null;
    }

    private WatchMessage parse(ProtobufReader in) throws IOException {
        heard = settings.ticker().getAsLong();
        WatchMessage message = new WatchMessage();
        for (int field = in.next(); field != 0; field = in.next()) {
            switch (field) {
                case ProtobufReader.HEADER -> message.revision = in.header();
                case 3 -> message.created = in.number() != 0;
                case 4 -> message.canceled = in.number() != 0;
                case 5 -> message.compacted = in.number() != 0;
                case 6 -> message.reason = in.bytes().utf8();
                case 7 -> message.fragment = in.number() != 0;
                case 11 -> {
                    message.eventful = true;
                    event(in.message());
                }
                default -> {}
            }
        }
        return message;
    }

    /** A message without events reports progress. The events of a revision end with a message. */
    private void complete(WatchMessage current) throws EtcdException {
        if (current.canceled) {
            throw cancellation(current);
        }
        if (!current.eventful) {
            ready.add(new WatchFrame.Bookmark(current.revision, false));
        } else if (!current.fragment) {
            flush();
        }
    }

    private static EtcdException cancellation(WatchMessage current) {
        return current.compacted
                ? EtcdException.expired("the revision of the watch was compacted")
                : EtcdException.canceled(current.reason);
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

    private void event(ProtobufReader in) throws IOException {
        StoredEntry entry = null;
        StoredEntry previous = null;
        for (int field = in.next(); field != 0; field = in.next()) {
            if (field == 2) {
                entry = entries.read(in);
            } else if (field == 3 && (entry == null || entry.object() == null)) {
                // The state before matters only if the object leaves what is watched.
                previous = entries.read(in);
            }
        }
        if (entry != null) {
            reached = Revision.later(reached, entry.modified());
            if (!entry.readable()) {
                ready.add(new WatchFrame.Foreign(entries.stored().unreadable()));
            }
            add(entry, previous);
        }
    }

    private void add(StoredEntry entry, @Nullable StoredEntry previous) {
        KubeObject object = entry.object();
        KubeObject before = previous == null ? null : previous.object();
        boolean isNew = entry.modified().digits().equals(Long.toString(entry.created()));
        if (object != null) {
            add(
                    isNew
                            ? new WatchFrame.Added(object, entries.created())
                            : new WatchFrame.Modified(object));
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
