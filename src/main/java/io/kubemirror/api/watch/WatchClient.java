package io.kubemirror.api.watch;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.http.RequestCredentials;
import io.kubemirror.model.Identity;
import io.kubemirror.model.Selection;

import jakarta.servlet.http.HttpServletRequest;

import java.time.Instant;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The client of a connection, and what its watches share.
 *
 * @param schedule the schedule of the connection
 * @param task the task of the connection
 */
public record WatchClient(Watcher watcher, WatchSchedule schedule, CoalescingTask task) {

    /**
     * The sender of a watch request.
     *
     * @param address the address and port of the client, or its user on the Unix socket
     * @param agent the beginning of its {@code User-Agent}, empty if absent
     * @param selection the selected part of the mirror
     * @param since the start time
     * @param credentials the credentials that the watch was admitted with, empty if none are
     *     required
     */
    public record Watcher(
            String address,
            String agent,
            String selection,
            Instant since,
            Optional<RequestCredentials> credentials) {

        /** Clients can send an agent of any length; this is enough to tell them apart. */
        private static final int MAX_AGENT = 120;

        static Watcher of(CollectionRequest wanted, HttpServletRequest request, Instant since) {
            String agent = request.getHeader("User-Agent");
            return new Watcher(
                    RequestCredentials.peer(request)
                            .map(Identity::name)
                            .orElseGet(
                                    () -> request.getRemoteAddr() + ":" + request.getRemotePort()),
                    agent == null ? "" : agent.substring(0, Math.min(agent.length(), MAX_AGENT)),
                    text(wanted.selection()),
                    since,
                    RequestCredentials.of(request));
        }

        private static String text(Selection selection) {
            return Stream.of(
                            prefixed("namespace ", selection.namespace()),
                            prefixed("labels ", selection.labels().text()),
                            prefixed("fields ", selection.fields().text()),
                            prefixed("shards ", selection.shard().text()))
                    .filter(part -> !part.isEmpty())
                    .collect(Collectors.joining(", "));
        }

        private static String prefixed(String what, String value) {
            return value.isEmpty() ? "" : what + value;
        }
    }
}
