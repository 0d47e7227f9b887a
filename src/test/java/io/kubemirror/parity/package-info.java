/**
 * The parity suite: the same request goes to a genuine API server and to kubemirror that mirrors
 * it, and the answers are compared, byte by byte where they are objects.
 *
 * <p>Cases are data, in one file for each section of the read API ({@code *Cases}); from the same
 * data comes the table in {@code src/docs/parity.md}. Two grounds are played on: a still one, where
 * nothing changes and everything can be asked at once, and a lively one, where stories are told one
 * after another.
 */
@org.jspecify.annotations.NullMarked
package io.kubemirror.parity;
