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
import io.kubemirror.api.read.OnDemandTypes;
import io.kubemirror.api.server.RequestHandler;
import io.kubemirror.api.server.RequestHandler.Admission;
import io.kubemirror.api.server.RequestHandler.Handling;
import io.kubemirror.api.watch.WatchConnection;
import io.kubemirror.mirror.Mirror;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerAdapter;
import org.springframework.web.servlet.ModelAndView;

/**
 * Calls the methods of the controllers that {@link KubeApiHandlerMapping} finds, each on a thread
 * of its own, where it may wait. A method has any of these parameters: the {@link Exchange}, the
 * {@link Admission}, and the path as the kind of {@link RequestPath} that its patterns have. It
 * returns nothing, or the {@link WatchConnection} with the rest of the response as an {@code
 * Optional}. It may throw what {@link RequestExecutor.Answer} throws.
 *
 * <p>Rejected: Spring's own adapter, which leaves at each request what would last as long as a
 * watch; and reflection, which the image does by native code (jvm.options). A virtual thread that
 * waits below native code keeps the platform thread that carries it, so a few slow readers would
 * stop all requests.
 */
final class KubeApiHandlerAdapter implements HandlerAdapter, Ordered {

    /** The bean, and what methods may take. */
    private static final MethodType ARGUMENTS =
            MethodType.methodType(
                    Object.class, Object.class, RequestPath.class, Admission.class, Exchange.class);

    private final Map<Method, MethodHandle> handles = new ConcurrentHashMap<>();
    private final RequestExecutor executor;
    private final OnDemandTypes onDemand;
    private final RequestMeters meters;

    /**
     * Creates an adapter.
     *
     * @param executor runs requests that may wait
     */
    KubeApiHandlerAdapter(RequestExecutor executor, OnDemandTypes onDemand, RequestMeters meters) {
        this.executor = executor;
        this.onDemand = onDemand;
        this.meters = meters;
    }

    @Override
    public boolean supports(Object handler) {
        return handler instanceof HandlerMethod method
                && KubeApiHandlerMapping.takesExchange(method.getMethod());
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
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
                check(method, admission);
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
    private static void check(HandlerMethod method, Admission admission) {
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
        boolean waits = !mirrors.isEmpty() || !onDemand.isEmpty();
        boolean reads = exchange.request().getMethod().equals("GET");
        return waits && reads && !isWatch(exchange.parsed()) ? ClientMemory.RESPONSE : 0;
    }

    private Optional<WatchConnection> call(
            HandlerMethod method, Admission admission, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        MethodHandle handle =
                handles.computeIfAbsent(method.getMethod(), KubeApiHandlerAdapter::handle);
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
