package io.kubemirror.interleaving;

import static java.lang.constant.ConstantDescs.CD_void;

import module java.base;

import org.jspecify.annotations.Nullable;

/**
 * Loads the code of kubemirror separately, with a call of the schedule before every shared step.
 */
final class InstrumentingLoader extends ClassLoader {

    private static final String OURS = "io.kubemirror.";
    private static final String PARENTS = InstrumentingLoader.class.getPackageName() + ".";
    private static final ClassDesc SCHEDULE = ClassDesc.of(ActorSchedule.class.getName());
    private static final ClassDesc LOCK = ClassDesc.of(ReentrantLock.class.getName());
    private static final MethodTypeDesc NOTHING = MethodTypeDesc.of(CD_void);

    /** Collections whose calls are steps; all are assumed to be shared. */
    private static final Set<String> COLLECTIONS =
            Set.of("java/util/Map", "java/util/Set", "java/util/Queue", "java/util/Collection");

    private final Map<String, Set<String>> volatiles = new ConcurrentHashMap<>();

    InstrumentingLoader() {
        super(InstrumentingLoader.class.getClassLoader());
    }

    Supplier<ConcurrentScenario> concurrentScenarios(String name) {
        try {
            // Initialized now, so that it takes no time of the exploration.
            var constructor = Class.forName(name, true, this).getDeclaredConstructor();
            constructor.setAccessible(true);
            return () -> {
                try {
                    return (ConcurrentScenario) constructor.newInstance();
                } catch (ReflectiveOperationException e) {
                    throw new IllegalStateException(name, e);
                }
            };
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(name, e);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(OURS) || name.startsWith(PARENTS)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded == null) {
                byte[] instrumented = instrument(read(name.replace('.', '/')));
                loaded = defineClass(name, instrumented, 0, instrumented.length);
            }
            return loaded;
        }
    }

    private byte[] read(String internalName) throws ClassNotFoundException {
        try (InputStream in = getParent().getResourceAsStream(internalName + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(internalName);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new ClassNotFoundException(internalName, e);
        }
    }

    private byte[] instrument(byte[] original) {
        ClassFile file = ClassFile.of();
        byte[] stepping =
                file.transformClass(
                        file.parse(original),
                        ClassTransform.transformingMethodBodies(
                                InstrumentingLoader::hasSteps,
                                CodeTransform.ofStateful(() -> this::withStep)));
        return file.transformClass(
                file.parse(stepping),
                ClassTransform.transformingMethodBodies(
                        method -> method.flags().has(AccessFlag.SYNCHRONIZED),
                        CodeTransform.ofStateful(WithMonitor::new)));
    }

    private void withStep(CodeBuilder code, CodeElement element) {
        if (element instanceof InvokeInstruction call && isWait(call)) {
            code.invokestatic(SCHEDULE, "acquire", MethodTypeDesc.of(CD_void, LOCK));
            return;
        }
        String step = step(element);
        if (!step.isEmpty()) {
            code.invokestatic(SCHEDULE, step, NOTHING);
        }
        withLock(code, element);
    }

    /**
     * Keeps an actor from pausing while it holds a monitor, also in the methods that it calls.
     * Another actor that waits for the monitor could not be continued.
     */
    private static final class WithMonitor implements CodeTransform {

        private @Nullable Label start;

        @Override
        public void atStart(CodeBuilder code) {
            code.invokestatic(SCHEDULE, "lock", NOTHING);
            start = code.newBoundLabel();
        }

        @Override
        public void accept(CodeBuilder code, CodeElement element) {
            if (element instanceof ReturnInstruction) {
                code.invokestatic(SCHEDULE, "unlock", NOTHING);
            }
            code.with(element);
        }

        /** An exception that leaves the method leaves the monitor, too. */
        @Override
        public void atEnd(CodeBuilder code) {
            Label end = code.newBoundLabel();
            code.exceptionCatchAll(Objects.requireNonNull(start), end, end);
            code.invokestatic(SCHEDULE, "unlock", NOTHING).athrow();
        }
    }

    private static void withLock(CodeBuilder code, CodeElement element) {
        boolean locks = element instanceof InvokeInstruction call && isLocking(call);
        if (locks) {
            code.invokestatic(SCHEDULE, "lock", NOTHING);
        }
        code.with(element);
        if (locks) {
            code.invokestatic(SCHEDULE, "unlock", NOTHING);
        }
    }

    /** An actor that holds a lock may pause, so another one must not block on it. */
    private static boolean isWait(InvokeInstruction call) {
        return call.owner().asSymbol().equals(LOCK) && call.name().equalsString("lock");
    }

    /** Concurrent maps call these functions under the lock of the key. */
    private static boolean isLocking(InvokeInstruction call) {
        String name = call.name().stringValue();
        return isShared(call) && (name.startsWith("compute") || name.equals("merge"));
    }

    /**
     * Lambdas often run under the lock of a map, and an actor must not pause while it holds a lock.
     */
    private static boolean hasSteps(MethodModel method) {
        return !method.methodName().stringValue().startsWith("lambda$")
                && !method.methodName().stringValue().startsWith("<")
                && !method.flags().has(AccessFlag.SYNCHRONIZED);
    }

    /** The method of the schedule to call before an instruction, if any. */
    private String step(CodeElement element) {
        return switch (element) {
            case FieldInstruction field when isVolatile(field) -> "step";
            case ArrayLoadInstruction load when load.opcode() == Opcode.AALOAD -> "step";
            case ArrayStoreInstruction store when store.opcode() == Opcode.AASTORE -> "step";
            case InvokeInstruction call when isSpin(call) -> "spin";
            case InvokeInstruction call when isShared(call) -> "step";
            default -> "";
        };
    }

    private static boolean isSpin(InvokeInstruction call) {
        return call.owner().asInternalName().equals("java/lang/Thread")
                && call.name().equalsString("onSpinWait");
    }

    private static boolean isShared(InvokeInstruction call) {
        String owner = call.owner().asInternalName();
        return (call.opcode() == Opcode.INVOKEVIRTUAL || call.opcode() == Opcode.INVOKEINTERFACE)
                && (owner.startsWith("java/util/concurrent/")
                        || owner.equals("java/lang/invoke/VarHandle")
                        || COLLECTIONS.contains(owner));
    }

    private boolean isVolatile(FieldInstruction field) {
        String owner = field.owner().asInternalName();
        return owner.startsWith("io/kubemirror/")
                && volatiles
                        .computeIfAbsent(owner, this::volatilesOf)
                        .contains(field.name().stringValue());
    }

    private Set<String> volatilesOf(String owner) {
        try {
            return ClassFile.of().parse(read(owner)).fields().stream()
                    .filter(field -> field.flags().has(AccessFlag.VOLATILE))
                    .map(field -> field.fieldName().stringValue())
                    .collect(java.util.stream.Collectors.toSet());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }
}
