package io.kubemirror.api;

import module java.base;

import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ParsedRequest;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.server.RequestHandler;
import io.kubemirror.api.server.RequestHandler.Admission;

import jakarta.servlet.http.HttpServletRequest;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * Maps requests to the methods of controllers. Those that answer an {@link Exchange} serve the
 * Kubernetes API, and {@link KubeApiAdapter} calls them; Spring maps all others as usual.
 *
 * <p>A pattern is read as the path of a request is, by {@link RequestPath}, and stands for all
 * paths of its kind: {@code /api/{version}/{resource}} for each collection. With {@code
 * params="watch"} it stands for watches of them. A pattern for {@code /**}, or for {@code
 * /{*path}}, stands for all that have none. The methods of a {@link RequestHandler} get the
 * requests that it has taken, and no others.
 *
 * <p>Rejected: to match the patterns themselves. Spring decodes and splits paths slightly
 * differently from the API server (list-watch.md#pa-19), and differently from what the permissions
 * of a request were read from.
 */
final class KubeApiMapping extends RequestMappingHandlerMapping {

    private static final String WATCH = "watch";

    /** All methods, for operators. */
    private final Map<RequestMappingInfo, HandlerMethod> mapped = new LinkedHashMap<>();

    private final Map<Route, HandlerMethod> routes = new HashMap<>();

    /**
     * What a method is found by.
     *
     * @param taken the class of what has taken the request, that of this mapping for the mirrors
     * @param kind the kind of the path
     * @param watch whether the request is a watch
     * @param deprecated whether the path says so
     */
    private record Route(
            Class<?> taken, Class<? extends RequestPath> kind, boolean watch, boolean deprecated) {

        static Route of(Class<?> taken, RequestPath path, boolean watch) {
            boolean deprecated =
                    path instanceof RequestPath.OfResource resource && resource.deprecatedWatch();
            return new Route(taken, path.getClass(), watch || deprecated, deprecated);
        }

        Route withAnyPath() {
            return of(taken, new RequestPath.Elsewhere(), false);
        }
    }

    /** Returns whether a method answers requests for the Kubernetes API. */
    static boolean isAnswer(Method method) {
        return List.of(method.getParameterTypes()).contains(Exchange.class);
    }

    @Override
    protected boolean isHandler(Class<?> type) {
        return super.isHandler(type) || RequestHandler.class.isAssignableFrom(type);
    }

    @Override
    protected void registerHandlerMethod(
            Object handler, Method method, RequestMappingInfo mapping) {
        if (!isAnswer(method)) {
            super.registerHandlerMethod(handler, method, mapping);
            return;
        }
        ReflectionUtils.makeAccessible(method);
        HandlerMethod answer = createHandlerMethod(handler, method);
        checkSingle(mapping.toString(), mapped.put(mapping, answer), answer);
        Class<?> taken =
                RequestHandler.class.isAssignableFrom(answer.getBeanType())
                        ? answer.getBeanType()
                        : KubeApiMapping.class;
        boolean watch =
                mapping.getParamsCondition().getExpressions().stream()
                        .anyMatch(one -> one.getName().equals(WATCH));
        for (String pattern : mapping.getPatternValues()) {
            RequestPath path = RequestPath.parse(Optional.of(pattern));
            checkSingle(pattern, routes.put(Route.of(taken, path, watch), answer), answer);
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
        ParsedRequest parsed = ParsedRequest.of(request);
        Class<?> taken =
                Admission.of(request)
                        .flatMap(Admission::handler)
                        .<Class<?>>map(RequestHandler::getClass)
                        .orElse(KubeApiMapping.class);
        RequestPath named = parsed.requestPath();
        boolean watch =
                named instanceof RequestPath.OfResource resource
                        && resource.isWatch(parsed.query());
        Route route = Route.of(taken, named, watch);
        Route rest = route.withAnyPath();
        HandlerMethod found = route.equals(rest) ? null : routes.get(route);
        if (found == null && taken == KubeApiMapping.class) {
            found = super.lookupHandlerMethod(path, request);
        }
        return found == null ? routes.get(rest) : found;
    }
}
