package io.kubemirror.api.watch;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.encode.FrameEncoder;

/**
 * A watch of which it is known how it begins.
 *
 * @param frames the encoding of its events
 */
public record WatchStart(CollectionRequest wanted, FrameEncoder frames, WatchPhase phase) {}
