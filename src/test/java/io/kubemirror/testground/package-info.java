/**
 * API servers to test against: one in-process that fails on command ({@link
 * io.kubemirror.testground.ScriptedApiServer}), and genuine ones ({@link
 * io.kubemirror.testground.RealApiServer}, {@link io.kubemirror.testground.K3sApiServer}).
 *
 * <p>The scripted server is the oracle of other tests, so it shares no behaviour with the main
 * code: it pushes into queues where kubemirror pulls, and has its own selectors and tokens. Only
 * plain values such as {@link io.kubemirror.model.ResourceType} are common.
 */
@NullMarked
package io.kubemirror.testground;

import org.jspecify.annotations.NullMarked;
