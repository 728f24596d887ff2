/* Tests that need a process of their own: a forked child. */
#ifndef TEST_CHILD_H
#define TEST_CHILD_H

/* Calls check(argument) in a child, which is to return 0, and waits for its end. A
 * child that hangs is ended by its alarm. No assertions in a child: they end the test
 * of the parent's copy. */
void test_expect_in_child(int (*check)(void *argument), void *argument);

/* Ends the check, with a status that tells the line. */
#define TEST_CHILD_EXPECT(condition) \
  if (!(condition)) return __LINE__ % 255 + 1

#endif
