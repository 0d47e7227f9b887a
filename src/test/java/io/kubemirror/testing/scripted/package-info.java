/**
 * An API server in this process that fails on command ({@link
 * io.kubemirror.testing.scripted.ScriptedApiServer}).
 *
 * <p>The scripted server is the oracle of other tests, so it shares no behavior with the main code:
 * it pushes into queues where kubemirror pulls, and has its own selectors and tokens. Only plain
 * values such as {@link io.kubemirror.model.ResourceType} are common.
 */
@NullMarked
package io.kubemirror.testing.scripted;

import org.jspecify.annotations.NullMarked;
