package io.kubemirror.api;

import module java.base;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ParsedRequest;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.RequestMeters;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.server.RequestHandler;
import io.kubemirror.api.server.RequestHandler.Admission;
import io.kubemirror.api.server.RequestHandler.Handling;
import io.kubemirror.api.watch.WatchConnection;
import io.kubemirror.mirror.Mirror;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerAdapter;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * Maps requests to the methods of controllers that take an {@link Exchange}, which serve the
 * Kubernetes API, and calls them, each on a thread of its own, where it may wait. Spring maps all
 * others as usual, if nothing else has taken the request.
 *
 * <p>A method has any of these parameters: the {@link Exchange}, the {@link Admission}, and the
 * path as the kind of {@link RequestPath} that its patterns have. It returns nothing, or the {@link
 * WatchConnection} with the rest of the response as an {@code Optional}. It may throw what {@link
 * RequestExecutor.Answer} throws.
 *
 * <p>A pattern is read as the path of a request is, by {@link RequestPath}, and stands for all
 * paths of its kind: {@code /api/{version}/{resource}} for each collection. A pattern for {@code
 * /**}, or for {@code /{*path}}, stands for all that have none. The methods of a {@link
 * RequestHandler} get the requests that it has taken, and no others.
 *
 * <p>Rejected: to match the patterns themselves. Spring decodes and splits paths slightly
 * differently from the API server (list-watch.md#pa-19), and differently from what the permissions
 * of a request were read from. Also rejected: Spring's own adapter, which leaves at each request
 * what would last as long as a watch; and reflection, which the image does by native code
 * (jvm.options). A virtual thread that waits below native code keeps the platform thread that
 * carries it, so a few slow readers would stop all requests.
 */
final class KubeApiHandlers extends RequestMappingHandlerMapping implements HandlerAdapter {

    /** The bean, and what methods may take. */
    private static final MethodType ARGUMENTS =
            MethodType.methodType(
                    Object.class, Object.class, RequestPath.class, Admission.class, Exchange.class);

    /** All methods, for operators. Written while Spring starts, as the routes are. */
    private final Map<RequestMappingInfo, HandlerMethod> mapped = new LinkedHashMap<>();

    private final Map<Route, HandlerMethod> routes = new HashMap<>();
    private final Map<Method, MethodHandle> handles = new ConcurrentHashMap<>();
    private final RequestExecutor executor;
    private final RequestMeters meters;

    /**
     * Creates an instance that knows no methods.
     *
     * @param executor runs requests that may wait
     */
    KubeApiHandlers(RequestExecutor executor, RequestMeters meters) {
        this.executor = executor;
        this.meters = meters;
    }

    /**
     * What a method is found by.
     *
     * @param taken the class of what has taken the request, that of this mapping for the mirrors
     * @param kind the kind of the path
     */
    private record Route(Class<?> taken, Class<? extends RequestPath> kind) {}

    /** Returns whether a method answers requests for the Kubernetes API. */
    private static boolean takesExchange(Method method) {
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
        checkConditions(answer, mapping);
        checkSingle(mapping.toString(), mapped.put(mapping, answer), answer);
        Class<?> taken =
                RequestHandler.class.isAssignableFrom(answer.getBeanType())
                        ? answer.getBeanType()
                        : KubeApiHandlers.class;
        for (String pattern : mapping.getPatternValues()) {
            Route route = new Route(taken, RequestPath.parse(Optional.of(pattern)).getClass());
            checkSingle(pattern, routes.put(route, answer), answer);
        }
    }

    /** A path is found by its kind, so that most conditions would be ignored. */
    private static void checkConditions(HandlerMethod answer, RequestMappingInfo mapping) {
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
                        .orElse(KubeApiHandlers.class);
        Route rest = new Route(taken, RequestPath.Elsewhere.class);
        Route route = new Route(taken, ParsedRequest.of(request).requestPath().getClass());
        HandlerMethod found = route.equals(rest) ? null : routes.get(route);
        if (found == null && taken == KubeApiHandlers.class) {
            found = super.lookupHandlerMethod(path, request);
        }
        return found == null ? routes.get(rest) : found;
    }

    @Override
    public boolean supports(Object handler) {
        return handler instanceof HandlerMethod method && takesExchange(method.getMethod());
    }

    @Override
    public @Nullable ModelAndView handle(
            HttpServletRequest request, HttpServletResponse response, Object handler)
            throws IOException {
        RequestMeters.RequestObservation note = meters.begin();
        try {
            Exchange exchange = exchange(request, response, note);
            Admission admission = Admission.take(request).orElse(null);
            if (admission == null) {
                // It was for a page that is available to everyone, and which does not exist.
                Reply.NOT_A_PAGE.send(response);
            } else {
                HandlerMethod method = (HandlerMethod) handler;
                checkTaker(method, admission);
                executor.start(
                        exchange, memory(admission, exchange), one -> call(method, admission, one));
            }
        } catch (Rejection rejection) {
            rejection.reply().toSender(request).send(response);
        }
        if (!request.isAsyncStarted()) {
            note.answered(response.getStatus());
        }
        return null;
    }

    /** The credentials were checked for what has taken the request, and for nothing else. */
    private static void checkTaker(HandlerMethod method, Admission admission) {
        Object taken = admission.handler().orElse(null);
        Object bean = method.getBean();
        boolean admitted = taken == null ? !(bean instanceof RequestHandler) : taken.equals(bean);
        if (!admitted) {
            throw new IllegalStateException(method + " does not answer for " + taken);
        }
    }

    private Exchange exchange(
            HttpServletRequest request,
            HttpServletResponse response,
            RequestMeters.RequestObservation note)
            throws Rejection {
        ParsedRequest parsed = ParsedRequest.of(request);
        parsed.query().checkSize();
        boolean watch = isWatch(parsed);
        note.verb(verb(parsed.requestPath(), watch, request.getMethod()));
        Duration allotted = watch ? Query.MAX_TIMEOUT : parsed.query().timeout();
        return new Exchange(request, response, parsed, allotted, note, executor.memory());
    }

    private static boolean isWatch(ParsedRequest parsed) {
        return switch (parsed.requestPath()) {
            case RequestPath.OfResource resource -> resource.isWatch(parsed.query());
            case RequestPath.Extension _ -> true;
            default -> false;
        };
    }

    private static String verb(RequestPath path, boolean watch, String method) {
        if (!method.equals("GET")) {
            return "other";
        }
        return watch ? "watch" : path instanceof RequestPath.Collection ? "list" : "get";
    }

    /** The charge of the connection includes a watch, and what is answered without waiting. */
    private int memory(Admission admission, Exchange exchange) {
        Optional<Handling> taken = admission.handling();
        if (taken.isPresent()) {
            return taken.get().memory();
        }
        List<Mirror> mirrors = admission.mirrors();
        if (!mirrors.isEmpty()) {
            exchange.note().resource(mirrors.getFirst().scope().resource().text());
        }
        boolean waits = !mirrors.isEmpty();
        boolean reads = exchange.request().getMethod().equals("GET");
        return waits && reads && !isWatch(exchange.parsed()) ? ClientMemory.RESPONSE : 0;
    }

    private Optional<WatchConnection> call(
            HandlerMethod method, Admission admission, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        MethodHandle handle = handles.computeIfAbsent(method.getMethod(), KubeApiHandlers::handle);
        RequestPath path = exchange.parsed().requestPath();
        try {
            Object rest = (Object) handle.invokeExact(method.getBean(), path, admission, exchange);
            return rest instanceof Optional<?> watch
                    ? watch.map(WatchConnection.class::cast)
                    : Optional.empty();
        } catch (Rejection | IOException | InterruptedException | RuntimeException | Error thrown) {
            throw thrown;
        } catch (Throwable other) {
            throw new IllegalStateException(other);
        }
    }

    /** Returns a method with the arguments of all, of which it takes those that it has. */
    private static MethodHandle handle(Method method) {
        Class<?>[] taken = method.getParameterTypes();
        int[] order = new int[taken.length + 1];
        MethodType type = MethodType.methodType(Object.class, Object.class);
        for (int i = 0; i < taken.length; i++) {
            order[i + 1] = taken[i] == Exchange.class ? 3 : taken[i] == Admission.class ? 2 : 1;
            type = type.appendParameterTypes(ARGUMENTS.parameterType(order[i + 1]));
        }
        try {
            MethodHandle found =
                    MethodHandles.privateLookupIn(
                                    method.getDeclaringClass(), MethodHandles.lookup())
                            .unreflect(method);
            return MethodHandles.permuteArguments(found.asType(type), ARGUMENTS, order);
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
