/**
 * Tests of unmodified clients. Each runs against a complete kubemirror with a real API server, over
 * a {@link io.kubemirror.clients.TcpRelay} that tests can break.
 *
 * <p>All informers ({@link io.kubemirror.clients.ObservedInformer}) run through the same {@link
 * io.kubemirror.clients.ScenarioStep}s at the same time. kubectl and browsers have tests of their
 * own. The table in {@code src/docs/compatibility.md} is generated from the same data.
 */
@org.jspecify.annotations.NullMarked
package io.kubemirror.clients;
