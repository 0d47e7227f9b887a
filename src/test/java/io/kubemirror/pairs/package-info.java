/**
 * Every pair of features together.
 *
 * <p>{@link io.kubemirror.pairs.Factor} names what can be chosen, {@link
 * io.kubemirror.pairs.Settings} which choices the configuration refuses, and {@link
 * io.kubemirror.pairs.CoveringArray} makes rows in which every other pair occurs. For each row,
 * {@link io.kubemirror.pairs.PairsTest} starts the application between a real API server and some
 * clients, and {@link io.kubemirror.pairs.RowRun} writes, reads, disturbs, and then checks the same
 * promises, whatever the row:
 *
 * <ol>
 *   <li>the mirror equals the server;
 *   <li>what the row hides is in no answer, log line, metric, page, or file ({@link
 *       io.kubemirror.pairs.HiddenValues});
 *   <li>each identity reads what the server lets it read;
 *   <li>a write is seen by the next read;
 *   <li>watches and streams miss nothing ({@link io.kubemirror.pairs.Follower});
 *   <li>the memory of clients is returned when they have left;
 *   <li>no thread and no request to the server is left at the end;
 *   <li>no exception is logged ({@link io.kubemirror.pairs.LogRecorder}).
 * </ol>
 */
@NullMarked
package io.kubemirror.pairs;

import org.jspecify.annotations.NullMarked;
