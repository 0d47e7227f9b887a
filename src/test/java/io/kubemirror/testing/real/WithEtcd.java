package io.kubemirror.testing.real;

import module java.base;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * For tests that start a real etcd. Where the programs of a real API server are missing they are
 * skipped, except in CI, where they fail.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(WithEtcd.EtcdCondition.class)
public @interface WithEtcd {

    /** Decides whether the tests run. */
    final class EtcdCondition implements ExecutionCondition {

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            return ServerBinaries.verdict();
        }
    }
}
