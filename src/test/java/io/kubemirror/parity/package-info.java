/**
 * The parity suite: the same request is sent to a real API server and to kubemirror that mirrors
 * it, and the responses are compared, byte by byte where they are objects.
 *
 * <p>Cases are data, in one file for each section of the rules ({@code *Cases}). A test writes the
 * table of all of them to {@code target/docs/parity.md}, and how kubemirror differs to {@code
 * src/docs/compatibility.md}. Static cases run at once, while nothing changes. Scenarios change
 * objects and run one after another.
 */
@org.jspecify.annotations.NullMarked
package io.kubemirror.parity;
