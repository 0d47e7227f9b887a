/**
 * Checks that all answers of all replicas to all clients have one legal order while processes die:
 * {@link io.kubemirror.history.HistoryRun} records what clients see at the HTTP boundary, and
 * {@link io.kubemirror.history.Checker} compares it with what etcd stored.
 */
@NullMarked
package io.kubemirror.history;

import org.jspecify.annotations.NullMarked;
