/**
 * Clients as they are: each runs, unmodified, against a whole kubemirror with a genuine API server
 * behind it, over a {@link io.kubemirror.clients.TcpRelay} that tests can cut.
 *
 * <p>What they have in common is told once: the {@link io.kubemirror.clients.ScenarioStep}s of a
 * story that all informers ({@link io.kubemirror.clients.ObservedInformer}) live through together.
 * What is special about kubectl and about browsers has a test of its own. The table in {@code
 * src/docs/clients.md} comes from the same data.
 */
@org.jspecify.annotations.NullMarked
package io.kubemirror.clients;
