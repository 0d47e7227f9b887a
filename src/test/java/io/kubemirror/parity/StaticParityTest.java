package io.kubemirror.parity;

import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import module java.base;

import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.real.WithApiServer;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Compares responses while nothing changes. All cases run at once. */
@WithApiServer(
        own = true,
        flags = "--feature-gates=ShardedListAndWatch=true," + ParityObjects.QUIET)
class StaticParityTest {

    @AutoClose private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    @AutoClose private ParityFixture parityFixture;

    StaticParityTest(ApiServer server) {
        ParityObjects.fill(server);
        parityFixture = ParityFixture.on(server, ParityObjects.MIRRORED);
    }

    @TestFactory
    Stream<DynamicContainer> it_answers_as_the_server_does() {
        return StaticCases.sections().stream()
                .map(
                        section ->
                                new Asked(
                                        section, section.cases().stream().map(this::ask).toList()))
                .toList()
                .stream()
                .map(this::tests);
    }

    private Future<Comparison> ask(ParityCase one) {
        return threads.submit(() -> parityFixture.ask(one));
    }

    private record Asked(CaseSection section, List<Future<Comparison>> answers) {}

    private DynamicContainer tests(Asked asked) {
        return dynamicContainer(
                asked.section().title(),
                IntStream.range(0, asked.answers().size()).mapToObj(i -> test(asked, i)));
    }

    private DynamicTest test(Asked asked, int index) {
        ParityCase one = asked.section().cases().get(index);
        return dynamicTest(
                one.toString(),
                () -> {
                    parityFixture.assumeServed(one.id());
                    asked.answers().get(index).get().verify();
                });
    }
}
