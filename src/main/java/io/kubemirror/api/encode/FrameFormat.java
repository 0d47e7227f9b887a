package io.kubemirror.api.encode;

import io.kubemirror.api.http.EventType;
import io.kubemirror.api.http.ResponseShape;
import io.kubemirror.api.http.WatchFraming;

/**
 * A frame format. Each change is encoded at most once per format, and the frame is shared by all
 * clients (list-watch.md#fa-7).
 *
 * @param type the type of the event
 * @param framing the framing on the wire
 * @param shape the parts of the object that are written
 * @param version the version of the shape
 */
record FrameFormat(EventType type, WatchFraming framing, ResponseShape shape, String version) {}
