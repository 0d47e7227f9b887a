package io.kubemirror.api;

import module java.base;

import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ParsedRequest;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.server.RequestHandler;
import io.kubemirror.api.server.RequestHandler.Admission;

import jakarta.servlet.http.HttpServletRequest;

import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * Maps requests to the methods of controllers. Those that take an {@link Exchange} serve the
 * Kubernetes API, and {@link KubeApiHandlerAdapter} calls them; Spring maps all others as usual, if
 * nothing else has taken the request.
 *
 * <p>A pattern is read as the path of a request is, by {@link RequestPath}, and stands for all
 * paths of its kind: {@code /api/{version}/{resource}} for each collection. A pattern for {@code
 * /**}, or for {@code /{*path}}, stands for all that have none. The methods of a {@link
 * RequestHandler} get the requests that it has taken, and no others.
 *
 * <p>Rejected: to match the patterns themselves. Spring decodes and splits paths slightly
 * differently from the API server (list-watch.md#pa-19), and differently from what the permissions
 * of a request were read from.
 */
final class KubeApiHandlerMapping extends RequestMappingHandlerMapping {

    /** All methods, for operators. Written while Spring starts, as the routes are. */
    private final Map<RequestMappingInfo, HandlerMethod> mapped = new LinkedHashMap<>();

    private final Map<Route, HandlerMethod> routes = new HashMap<>();

    /**
     * What a method is found by.
     *
     * @param taken the class of what has taken the request, that of this mapping for the mirrors
     * @param kind the kind of the path
     */
    private record Route(Class<?> taken, Class<? extends RequestPath> kind) {}

    /** Returns whether a method answers requests for the Kubernetes API. */
    static boolean takesExchange(Method method) {
        return List.of(method.getParameterTypes()).contains(Exchange.class);
    }

    @Override
    protected boolean isHandler(Class<?> type) {
        return super.isHandler(type) || RequestHandler.class.isAssignableFrom(type);
    }

    @Override
    protected void registerHandlerMethod(
            Object handler, Method method, RequestMappingInfo mapping) {
        if (!takesExchange(method)) {
            super.registerHandlerMethod(handler, method, mapping);
            return;
        }
        HandlerMethod answer = createHandlerMethod(handler, method);
        check(answer, mapping);
        checkSingle(mapping.toString(), mapped.put(mapping, answer), answer);
        Class<?> taken =
                RequestHandler.class.isAssignableFrom(answer.getBeanType())
                        ? answer.getBeanType()
                        : KubeApiHandlerMapping.class;
        for (String pattern : mapping.getPatternValues()) {
            Route route = new Route(taken, RequestPath.parse(Optional.of(pattern)).getClass());
            checkSingle(pattern, routes.put(route, answer), answer);
        }
    }

    /** A path is found by its kind, so that most conditions would be ignored. */
    private static void check(HandlerMethod answer, RequestMappingInfo mapping) {
        boolean plain =
                mapping.getParamsCondition().isEmpty()
                        && Set.of(RequestMethod.GET)
                                .containsAll(mapping.getMethodsCondition().getMethods())
                        && mapping.getHeadersCondition().isEmpty()
                        && mapping.getConsumesCondition().isEmpty()
                        && mapping.getProducesCondition().isEmpty();
        boolean callable =
                Stream.of(answer.getMethod().getParameterTypes())
                        .allMatch(
                                type ->
                                        type == Exchange.class
                                                || type == Admission.class
                                                || RequestPath.class.isAssignableFrom(type));
        if (!plain || !callable) {
            throw new IllegalStateException(
                    answer
                            + " takes an Exchange, so it may have a path, an Admission, and a"
                            + " RequestPath, but nothing else");
        }
    }

    private static void checkSingle(
            String mapping, @Nullable HandlerMethod other, HandlerMethod answer) {
        if (other != null && !other.equals(answer)) {
            throw new IllegalStateException(
                    "%s is answered by %s and by %s".formatted(mapping, other, answer));
        }
    }

    @Override
    public Map<RequestMappingInfo, HandlerMethod> getHandlerMethods() {
        Map<RequestMappingInfo, HandlerMethod> all = new LinkedHashMap<>(mapped);
        all.putAll(super.getHandlerMethods());
        return all;
    }

    @Override
    protected @Nullable HandlerMethod lookupHandlerMethod(String path, HttpServletRequest request)
            throws Exception {
        Class<?> taken =
                Admission.of(request)
                        .flatMap(Admission::handler)
                        .<Class<?>>map(RequestHandler::getClass)
                        .orElse(KubeApiHandlerMapping.class);
        Route rest = new Route(taken, RequestPath.Elsewhere.class);
        Route route = new Route(taken, ParsedRequest.of(request).requestPath().getClass());
        HandlerMethod found = route.equals(rest) ? null : routes.get(route);
        if (found == null && taken == KubeApiHandlerMapping.class) {
            found = super.lookupHandlerMethod(path, request);
        }
        return found == null ? routes.get(rest) : found;
    }
}
