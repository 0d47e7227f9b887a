package io.kubemirror.api.encode;

import io.kubemirror.api.http.EventType;
import io.kubemirror.api.http.ResponseShape;
import io.kubemirror.api.http.WatchFraming;

/**
 * A form in which a change is encoded at most once and then shared by all clients
 * (list-watch.md#fa-7).
 *
 * @param type the type of the event
 * @param framing how it is put on the wire
 * @param shape what is shown of the object
 * @param version the version of the shape
 */
record FrameFormat(EventType type, WatchFraming framing, ResponseShape shape, String version) {}
