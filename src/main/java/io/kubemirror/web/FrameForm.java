package io.kubemirror.web;

/**
 * A form in which a change is encoded at most once and then shared by all clients (FA-7).
 *
 * @param type the type of the event
 * @param wire how it is put on the wire
 * @param shape what is shown of the object
 * @param version the version of the shape
 */
record FrameForm(EventType type, Wire wire, Shape shape, String version) {}
