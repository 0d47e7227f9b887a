package io.kubemirror.feature.etcd;

import module java.base;

import io.kubemirror.feature.etcd.EntryReader.StoredEntry;
import io.kubemirror.feature.etcd.EtcdClient.EtcdSettings;
import io.kubemirror.feature.etcd.EtcdTransport.ResponseHeader;
import io.kubemirror.feature.etcd.GrpcCall.ProtobufWriter;
import io.kubemirror.kube.json.QueuedWatch;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchFrame.Broken.BrokenKind;
import io.kubemirror.source.WatchStream.UpstreamWatch;

import org.jspecify.annotations.Nullable;

/**
 * A watch that is read from a stream of etcd. Events become frames as an API server sends them to a
 * watch with a selection.
 */
final class EtcdWatch implements UpstreamWatch {

    /** How often progress is requested, as often as a member reports it to an API server. */
    private static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(5);

    private final GrpcCall call;
    private final EntryReader entries;
    private final EtcdSettings settings;
    private final Consumer<List<String>> warnings;
    private final long opened;
    private final Duration timeout;
    private final Duration silence;
    private final Duration progressInterval;
    private final Thread monitor;

    /**
     * The time of the last bytes. Written by the thread that reads, read by the one that monitors.
     */
    private volatile long heard;

    /** Whether the monitor has ended a silent stream. It writes this before it cancels the call. */
    private volatile boolean silent;

    /** Whether to request progress. Written before the first frame is read. */
    private volatile boolean progressive;

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

    EtcdWatch(
            GrpcCall call,
            EntryReader entries,
            WatchRequest request,
            EtcdSettings settings,
            Consumer<List<String>> warnings) {
        this.call = call;
        this.entries = entries;
        this.settings = settings;
        this.warnings = warnings;
        this.opened = settings.ticker().getAsLong();
        this.timeout = request.timeout();
        this.silence = request.silence();
        this.progressInterval =
                request.bookmarkInterval().isPositive()
                        ? request.bookmarkInterval()
                        : PROGRESS_INTERVAL;
        this.heard = opened;
        this.monitor =
                Thread.ofVirtual()
                        .name(Thread.currentThread().getName() + "-etcd-watch")
                        .unstarted(this::monitor);
        call.listen(() -> heard = settings.ticker().getAsLong());
    }

    /** The fields of a message, whose events have been read. */
    private static final class WatchMessage {
        private ResponseHeader header = ResponseHeader.NONE;
        private boolean created;
        private boolean canceled;
        private boolean compacted;
        private boolean fragment;
        private boolean eventful;
        private String reason = "";
    }

    /**
     * Starts to monitor the stream, and waits for the first message, which says whether etcd
     * accepts the watch.
     */
    synchronized ResponseHeader awaitCreation() throws IOException {
        monitor.start();
        WatchMessage first = call.message(this::parse);
        if (!first.created || first.canceled) {
            throw cancellation(first);
        }
        return first.header;
    }

    /**
     * Starts to request progress, or not.
     *
     * @param reliable whether the member answers such requests correctly
     */
    void start(boolean reliable) {
        progressive = reliable;
    }

    /**
     * Requests progress and ends a silent stream, since OkHttp has no timeouts for reads of a
     * stream in both directions. Runs on a thread of its own, the only one that sends after the
     * watch was created.
     */
    void monitor() {
        ProtobufWriter request = new ProtobufWriter().message(3, new ProtobufWriter());
        Duration interval = silence.compareTo(progressInterval) < 0 ? silence : progressInterval;
        try {
            while (!call.isCanceled()) {
                settings.sleeper().sleep(interval);
                if (settings.ticker().getAsLong() - heard >= silence.toNanos()) {
                    silent = true;
                    call.cancel();
                } else if (progressive) {
                    call.send(request);
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

    private WatchFrame read() {
        try {
            while (ready.isEmpty() && !call.isCanceled()) {
                boolean over = settings.ticker().getAsLong() - opened > timeout.toNanos();
                if (over || !call.read(this::accept)) {
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
        WatchMessage message = new WatchMessage();
        for (int field = in.next(); field != 0; field = in.next()) {
            switch (field) {
                case ResponseHeader.FIELD -> message.header = ResponseHeader.read(in);
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
            ready.add(new WatchFrame.Bookmark(current.header.revision(), false));
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
            switch (field) {
                case 2 -> entry = entries.read(in);
                case 3 -> {
                    // The state before matters only if the object leaves what is watched.
                    if (entry == null || entry.object() == null) {
                        previous = entries.read(in);
                    }
                }
                default -> {}
            }
        }
        if (entry != null) {
            reached = Revision.later(reached, entry.modified());
            report(entry);
            frame(entry, previous).ifPresent(this::add);
        }
    }

    private void report(StoredEntry entry) {
        if (!entry.readable()) {
            ready.add(new WatchFrame.Foreign(entries.stored().unreadable()));
            warnings.accept(entries.stored().warning());
        }
    }

    private Optional<WatchFrame.ObjectEvent> frame(
            StoredEntry entry, @Nullable StoredEntry previous) {
        KubeObject object = entry.object();
        boolean isNew = entry.modified().digits().equals(Long.toString(entry.created()));
        if (object != null) {
            return Optional.of(
                    isNew
                            ? new WatchFrame.Added(object, entries.created())
                            : new WatchFrame.Modified(object));
        }
        if (previous != null) {
            return Optional.ofNullable(previous.object())
                    .map(before -> new WatchFrame.Deleted(before.at(entry.modified())));
        }
        // Without the state before, the object may have been watched.
        return isNew ? Optional.empty() : entries.named(entry).map(WatchFrame.Deleted::new);
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

    @Override
    public ReadAheadWatch ahead(ReadAheadLimits bound) {
        return QueuedWatch.of(this, bound, settings.limits().incoming());
    }
}
