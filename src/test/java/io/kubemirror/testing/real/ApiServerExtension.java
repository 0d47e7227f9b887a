package io.kubemirror.testing.real;

import module java.base;

import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.RestClient;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Manages the servers of {@link WithApiServer}: each starts on first use and stops after the last
 * test.
 */
final class ApiServerExtension implements ExecutionCondition, ParameterResolver {

    private static final Namespace OURS = Namespace.create(ApiServerExtension.class);
    private static final Set<Class<?>> SUPPORTED =
            Set.of(ApiServer.class, RestClient.class, TestNamespace.class);

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return ServerBinaries.verdict();
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return SUPPORTED.contains(parameter.getParameter().getType());
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        ApiServer server = server(context);
        Class<?> type = parameter.getParameter().getType();
        if (type == TestNamespace.class) {
            return context.getStore(OURS)
                    .computeIfAbsent(
                            "namespace", key -> namespace(context, server), TestNamespace.class);
        }
        return type == RestClient.class ? server.client() : server;
    }

    /** The store of the JVM, which outlives that of the root: a fork runs class by class. */
    private static ExtensionContext.Store all(ExtensionContext context) {
        return context.getStore(ExtensionContext.StoreScope.LAUNCHER_SESSION, OURS);
    }

    /** Servers live in the store of the JVM, which closes them when all tests have run. */
    private static ApiServer server(ExtensionContext context) {
        WithApiServer wish = context.getRequiredTestClass().getAnnotation(WithApiServer.class);
        List<String> flags = List.of(wish.flags());
        // A class's store finds what that one has under the same key, which is not its own.
        ServerKind kind = new ServerKind(flags, wish.secure(), wish.own());
        ExtensionContext.Store store = wish.own() ? ofClass(context).getStore(OURS) : all(context);
        return store.computeIfAbsent(kind, key -> start(flags, wish.secure()), ApiServer.class);
    }

    private static ApiServer start(List<String> flags, boolean secure) {
        ServerBinaries binaries = ServerBinaries.find().orElseThrow();
        return secure
                ? RealApiServer.start(binaries, true, flags)
                : RealApiServer.start(binaries, flags);
    }

    /** What classes that share a server have in common. */
    private record ServerKind(List<String> flags, boolean secure, boolean own) {}

    private static ExtensionContext ofClass(ExtensionContext context) {
        ExtensionContext at = context;
        while (at.getTestMethod().isPresent() && at.getParent().isPresent()) {
            at = at.getParent().get();
        }
        return at;
    }

    private static TestNamespace namespace(ExtensionContext context, ApiServer server) {
        AtomicInteger count =
                all(context)
                        .computeIfAbsent("count", key -> new AtomicInteger(), AtomicInteger.class);
        String name =
                "test-" + Long.toString(server.revision(), 36) + "-" + count.incrementAndGet();
        server.ensureNamespace(name);
        return new TestNamespace(name);
    }
}
